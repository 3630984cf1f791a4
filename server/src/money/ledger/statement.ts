import { createHash } from 'node:crypto';
import { toIso } from '../../base/std/iso-time.ts';
import { type Change, changeOf, type EntryKind } from './entry.ts';
import { formatMicros } from './money.ts';

/** A month of UTC. */
export interface Month {
  /** `2026-10` */
  name: string;
  startsAt: number;
  /** When the next one begins. */
  endsAt: number;
}

/** Entries of one kind, and of one model where they have one, together. */
export interface EntrySum {
  kind: EntryKind;
  model: string | null;
  count: number;
  amountMicros: bigint;
}

export interface Statement {
  account_id: string;
  account: string;
  month: string;
  from: string;
  to: string;
  currency: string;
  /** Whether the month is over, so that nothing can be added. */
  closed: boolean;
  opening_balance: string;
  /** What changed the balance, with its sign; `model` of what was captured. */
  lines: { kind: EntryKind; model: string | null; entries: number; amount: string }[];
  closing_balance: string;
  /** SHA-256 of all of the above, in this order: two statements of a closed month are the same, or this differs. */
  digest: string;
}

// A transaction that wrote an entry in the last moment of a month may be committed a little later.
const settledAfterMs = 600_000;

export function parseMonth(text: string): Month | undefined {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return undefined;
  const [year = 0, month = 0] = text.split('-').map(Number);
  return { name: text, startsAt: Date.UTC(year, month - 1), endsAt: Date.UTC(year, month) };
}

/** Every month from one time to another, the newest first. */
export function monthsBetween(fromMs: number, toMs: number): string[] {
  const months: string[] = [];
  const last = new Date(toMs);
  for (let at = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth())); ; ) {
    months.push(at.toISOString().slice(0, 7));
    if (at.getTime() <= fromMs) return months;
    at = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1));
  }
}

/** Adds up a month. `before`: the sums of all earlier entries. Pure. */
export function makeStatement(
  account: { id: string; name: string },
  month: Month,
  sums: { before: readonly EntrySum[]; within: readonly EntrySum[]; currency: string; nowMs: number },
): Statement {
  const opening = balanceOf(sums.before);
  const lines = sums.within
    .map((sum) => ({ ...sum, change: changeOfSum(sum).balance }))
    // Reserves and releases move nothing in or out.
    .filter(({ change }) => change !== 0n)
    .sort((a, b) => order(a).localeCompare(order(b)));
  const statement = {
    account_id: account.id,
    account: account.name,
    month: month.name,
    from: toIso(month.startsAt),
    to: toIso(month.endsAt),
    currency: sums.currency,
    closed: sums.nowMs >= month.endsAt + settledAfterMs,
    opening_balance: formatMicros(opening),
    lines: lines.map(({ kind, model, count, change }) => ({
      kind,
      model,
      entries: count,
      amount: formatMicros(change),
    })),
    closing_balance: formatMicros(opening + balanceOf(sums.within)),
  };
  return { ...statement, digest: createHash('sha256').update(JSON.stringify(statement)).digest('hex') };
}

function balanceOf(sums: readonly EntrySum[]): bigint {
  return sums.reduce((balance, sum) => balance + changeOfSum(sum).balance, 0n);
}

/** What an entry does is in proportion to its amount, so it holds for their sum. */
function changeOfSum({ kind, amountMicros }: EntrySum): Change {
  return changeOf({ kind, amountMicros });
}

/** Credits come first, and what was captured last, by model. */
function order({ kind, model }: EntrySum): string {
  return `${kind === 'credit' ? 0 : kind === 'capture' ? 2 : 1} ${kind} ${model ?? ''}`;
}

export const statementHeader = ['item', 'model', 'entries', 'amount'];

/** The rows of a table. */
export function statementRows(statement: Statement): (string | number | null)[][] {
  return [
    ['opening_balance', null, null, statement.opening_balance],
    ...statement.lines.map(({ kind, model, entries, amount }) => [kind, model, entries, amount]),
    ['closing_balance', null, null, statement.closing_balance],
  ];
}
