import { isAt } from '../descriptor.ts';

/** Whether this is Black Forest Labs itself, in any of its regions. */
export const isBfl = isAt(/\.bfl\.ai$/);
