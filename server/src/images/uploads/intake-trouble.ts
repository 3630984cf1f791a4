import { StoreError } from '../image-store.ts';
import { isDiskTrouble } from '../inputs/disk-trouble.ts';

/** An error of the store or of the disk for temporary files. The same request works once that is fixed. */
export function isIntakeTrouble(error: unknown): error is Error {
  return error instanceof StoreError || isDiskTrouble(error);
}
