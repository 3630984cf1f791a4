import type { AppError } from '../errors.ts';
import { accountErased } from '../money/ledger/account-erased.ts';
import { keyNotValid } from './authenticate.ts';
import { isPanelKey } from './panel-key.ts';

/** The error of a request during which its account was erased. Later requests of the account get the same error. */
export function erasedMeanwhile(asker: { accountId: string; keyId: string }): AppError {
  return isPanelKey(asker) ? accountErased(asker.accountId) : keyNotValid();
}
