import type { Queries } from '../../base/db/schema.ts';
import { AppError } from '../../errors.ts';
import { readBalance } from './ledger-store.ts';
import { formatMicros } from './money.ts';

export async function readPresentedBalance(queries: Queries, accountId: string) {
  const balance = await readBalance(queries, accountId);
  if (!balance) throw new AppError('not_found', 'There is no such account.');
  return presentBalance(balance);
}

export function presentBalance({
  balanceMicros,
  reservedMicros,
  debtMicros,
}: {
  balanceMicros: bigint;
  reservedMicros: bigint;
  debtMicros: bigint;
}) {
  return {
    balance: formatMicros(balanceMicros),
    reserved: formatMicros(reservedMicros),
    available: formatMicros(balanceMicros - reservedMicros),
    ...(debtMicros !== 0n && { debt: formatMicros(debtMicros) }),
  };
}
