import type { AppError } from '../errors.ts';
import { accountErased } from '../money/ledger/account-erased.ts';
import { keyNotValid } from './authenticate.ts';
import { isPanelKey } from './panel-key.ts';

/** The error for a request whose account was erased in the meantime. Later requests get the same error. */
export function erasedMeanwhile(asker: { accountId: string; keyId: string }): AppError {
  return isPanelKey(asker) ? accountErased(asker.accountId) : keyNotValid();
}
