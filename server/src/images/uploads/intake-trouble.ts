import { StoreError } from '../image-store.ts';
import { diskTroubleOf } from '../inputs/disk-trouble.ts';

/** Whether the store or disk failed. Once it has recovered, the same request succeeds. */
export function isIntakeTrouble(error: unknown): error is Error {
  return error instanceof StoreError || diskTroubleOf(error) !== undefined;
}
