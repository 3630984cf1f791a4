import type { Tx } from '../base/db/schema.ts';
import { AppError, invalidField } from '../errors.ts';
import type { OperatorEntry } from '../money/ledger/entry.ts';
import { findEntryByReference } from '../money/ledger/entry-page-store.ts';
import { formatMicros } from '../money/ledger/money.ts';

export const maxReferenceLength = 255;
export const maxReasonLength = 500;
/** The prefix of references to vouchers instead of payments. */
export const voucherReference = 'voucher ';
/** The prefix of references to money that came back, from a failed refund or a won dispute. */
export const returnedReference = 'returned ';

export function readReference(reference: string | undefined): string | null {
  if (reference === undefined) return null;
  const isOneLine = /\S/.test(reference) && !/[\p{Cc}\p{Cs}]/u.test(reference);
  if (isOneLine && reference.length <= maxReferenceLength) return reference;
  throw invalidField('/reference', `must have 1 to ${maxReferenceLength} characters on one line.`);
}

export function assertReason(what: string, reason: string): void {
  if (reason.trim() === '' || reason.length > maxReasonLength)
    throw new AppError(
      'invalid_request',
      `${what} of at most ${maxReasonLength} characters, shown in the ledger.`,
    );
}

/**
 * Finds the entry with this reference. Unless the account is locked, only the unique index prevents duplicates.
 * @throws AppError `reference_reused`
 */
export async function findPosted(
  tx: Tx,
  {
    accountId,
    kind,
    amountMicros,
    reference,
  }: Pick<OperatorEntry, 'accountId' | 'kind' | 'amountMicros' | 'reference'>,
): Promise<number | undefined> {
  const posted = reference ? await findEntryByReference(tx, accountId, reference) : undefined;
  if (!posted) return undefined;
  if (posted.kind === kind && posted.amountMicros === amountMicros) return posted.id;
  throw new AppError(
    'reference_reused',
    `The reference "${reference}" is that of a ${posted.kind} of ${formatMicros(posted.amountMicros)} to this account. Each payment needs its own reference.`,
  );
}
