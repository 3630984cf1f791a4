import type { AppError } from '../errors.ts';
import { accountErased } from '../money/ledger/account-erased.ts';
import { keyNotValid } from './authenticate.ts';
import { isPanelKey } from './panel-key.ts';

/** The error if an account was erased during a request, the same as for later requests. */
export function erasedMeanwhile(asker: { accountId: string; keyId: string }): AppError {
  return isPanelKey(asker) ? accountErased(asker.accountId) : keyNotValid();
}
