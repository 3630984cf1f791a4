import { isAt } from '../descriptor.ts';

/** Includes the addresses of all regions. */
export const isBfl = isAt(/\.bfl\.ai$/);
