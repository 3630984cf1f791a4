import { StoreError } from '../image-store.ts';
import { isDiskTrouble } from '../inputs/disk-trouble.ts';

/** The same request works once the store or disk does. */
export function isIntakeTrouble(error: unknown): error is Error {
  return error instanceof StoreError || isDiskTrouble(error);
}
