import type { AppError } from '../errors.ts';
import { accountErased } from '../money/ledger/account-erased.ts';
import { keyNotValid } from './authenticate.ts';
import { isPanelKey } from './panel-key.ts';

/** The error for a request that an erasure of its account overtook: what comes after it is told the same. */
export function erasedMeanwhile(asker: { accountId: string; keyId: string }): AppError {
  return isPanelKey(asker) ? accountErased(asker.accountId) : keyNotValid();
}
