import { writtenAmount } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
/** Amounts are strings until they reach the server, and have at most six decimals, as in the ledger. */
export function wrongAmount(text: string): string | undefined {
  return /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) && /[1-9]/.test(text)
    ? undefined
    : t('An amount such as 25 or {example}, above zero', { example: writtenAmount('12.50') });
}
