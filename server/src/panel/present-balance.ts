import type { Queries } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import { readBalance } from '../ledger/ledger-store.ts';
import { formatMicros } from '../ledger/money.ts';
import type { Balance } from './contract.ts';

export async function readPresentedBalance(queries: Queries, accountId: string): Promise<Balance> {
  const balance = await readBalance(queries, accountId);
  if (!balance) throw new AppError('not_found', 'There is no such account.');
  return presentBalance(balance);
}

export function presentBalance({
  balanceMicros,
  reservedMicros,
}: {
  balanceMicros: bigint;
  reservedMicros: bigint;
}): Balance {
  return {
    balance: formatMicros(balanceMicros),
    reserved: formatMicros(reservedMicros),
    available: formatMicros(balanceMicros - reservedMicros),
  };
}
