import { StoreError } from '../image-store.ts';
import { diskTroubleOf } from '../inputs/disk-trouble.ts';

/** The same request works once the store or disk works. */
export function isIntakeTrouble(error: unknown): error is Error {
  return error instanceof StoreError || diskTroubleOf(error) !== undefined;
}
