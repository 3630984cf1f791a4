import { isAt } from '../descriptor.ts';

/** Whether an address belongs to Black Forest Labs, in any region. */
export const isBfl = isAt(/\.bfl\.ai$/);
