import { isAt } from '../descriptor.ts';

export const isBfl = isAt(/\.bfl\.ai$/);
