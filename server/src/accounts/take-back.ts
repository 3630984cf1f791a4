import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Tx } from '../base/db/schema.ts';
import { insertDebt } from '../money/ledger/debt-store.ts';
import type { Entry } from '../money/ledger/entry.ts';
import { type LockedAccount, post } from '../money/ledger/ledger-store.ts';
import { formatMicros } from '../money/ledger/money.ts';
import type { TellBalances } from './tell-balances.ts';

interface Taken {
  amountMicros: bigint;
  reason: string;
  reference: string;
  /** The credit whose money is taken back, if there is one. */
  corrects: number | null;
}

/** Takes back money that was refunded outside Darkroom. The account owes the part that it has spent or reserved. */
export async function takeBack(
  tx: Tx,
  locked: LockedAccount,
  { amountMicros, corrects, ...named }: Taken,
  { by, tellBalances }: { by: Actor; tellBalances: TellBalances },
): Promise<void> {
  const { id: accountId, balanceMicros, reservedMicros } = locked;
  const { reason } = named;
  const available = balanceMicros - reservedMicros;
  const takenMicros = amountMicros < available ? amountMicros : available;
  const owedMicros = amountMicros - takenMicros;
  if (takenMicros > 0n) {
    const entries: Entry[] = [
      { accountId, kind: 'debit', amountMicros: takenMicros, jobId: null, corrects, ...named },
    ];
    await post(tx, entries);
    await tellBalances(tx, [locked], entries);
  }
  if (owedMicros > 0n) await insertDebt(tx, { accountId, reason, corrects, amountMicros: owedMicros });
  const detail = {
    amount: formatMicros(amountMicros),
    ...named,
    ...(owedMicros > 0n && { owed: formatMicros(owedMicros) }),
    balance_before: formatMicros(balanceMicros),
    balance_after: formatMicros(balanceMicros - takenMicros),
  };
  await insertAuditEntry(tx, by, { action: 'account.debited', accountId, subject: accountId, detail });
}
