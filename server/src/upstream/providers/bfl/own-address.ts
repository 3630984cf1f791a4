import { isAt } from '../descriptor.ts';

/** Reports whether the address belongs to Black Forest Labs, in any region. */
export const isBfl = isAt(/\.bfl\.ai$/);
