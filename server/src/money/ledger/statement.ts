import { createHash } from 'node:crypto';
import { toIso } from '../../base/std/iso-time.ts';
import { AppError, invalidField } from '../../errors.ts';
import { type Change, changeOf, type EntryKind } from './entry.ts';
import { formatMicros } from './money.ts';

/** A month in UTC. */
export interface Month {
  /** `2026-10` */
  name: string;
  startsAt: number;
  endsAt: number;
}

export interface EntrySum {
  kind: EntryKind;
  model: string | null;
  count: number;
  amountMicros: bigint;
}

export interface StatementOf<Kind extends string> {
  month: string;
  from: string;
  to: string;
  currency: string;
  /** Whether the month is over, so that no entry can be added to it. */
  closed: boolean;
  opening_balance: string;
  /** Signed changes of the balance. Captures have a `model`. */
  lines: { kind: Kind; model: string | null; entries: number; amount: string }[];
  closing_balance: string;
  /** SHA-256 of all fields above, in this order. */
  digest: string;
}

export interface Statement extends StatementOf<EntryKind> {
  account_id: string;
  account: string;
}

// A month closes this long after its end, because an entry from its last moment may be committed a little later.
const settledAfterMs = 600_000;
const firstMonth = '1970-01';

function parseMonth(text: string): Month | undefined {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return undefined;
  const [year = 0, month = 0] = text.split('-').map(Number);
  return { name: text, startsAt: Date.UTC(year, month - 1), endsAt: Date.UTC(year, month) };
}

export function monthsBetween(fromMs: number, toMs: number): string[] {
  const months: string[] = [];
  const last = new Date(toMs);
  for (let at = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth())); ; ) {
    months.push(at.toISOString().slice(0, 7));
    if (at.getTime() <= fromMs) return months;
    at = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1));
  }
}

/**
 * @throws AppError `invalid_request` if the text is not a month or the month lies in the future; `not_found` before the
 * first month
 */
export function readMonth(text: string, nowMs: number): Month {
  const month = parseMonth(text);
  if (!month || month.startsAt > nowMs)
    throw invalidField('/month', 'must be a month that has begun, such as 2026-10.');
  // Compares strings, because `Date` takes years before 100 for years of the 20th century.
  if (text < firstMonth) throw new AppError('not_found', `There is no statement of ${text}.`);
  return month;
}

/** Makes a month's statement. `before` has the sums of all earlier entries. Pure. */
export function makeStatement(
  account: { id: string; name: string },
  month: Month,
  { before, within, ...now }: { before: readonly EntrySum[]; within: readonly EntrySum[] } & Now,
): Statement {
  const lines = within
    .map((sum) => ({ ...sum, changeMicros: changeOfSum(sum).balance }))
    .sort((a, b) => order(a).localeCompare(order(b)));
  const party = { account_id: account.id, account: account.name };
  return addUp(party, month, { ...now, openingMicros: balanceOf(before), lines });
}

interface Now {
  currency: string;
  nowMs: number;
}

export interface StatementLine<Kind extends string> {
  kind: Kind;
  model: string | null;
  count: number;
  changeMicros: bigint;
}

/** `party` is the owner of the statement. Pure. */
export function addUp<Party extends object, Kind extends string>(
  party: Party,
  month: Month,
  {
    openingMicros,
    lines,
    currency,
    nowMs,
  }: { openingMicros: bigint; lines: readonly StatementLine<Kind>[] } & Now,
): Party & StatementOf<Kind> {
  const statement = {
    ...party,
    month: month.name,
    from: toIso(month.startsAt),
    to: toIso(month.endsAt),
    currency,
    closed: nowMs >= month.endsAt + settledAfterMs,
    opening_balance: formatMicros(openingMicros),
    lines: lines
      // Reserves and releases do not change the balance.
      .filter(({ changeMicros }) => changeMicros !== 0n)
      .map(({ kind, model, count, changeMicros }) => ({
        ...{ kind, model, entries: count },
        amount: formatMicros(changeMicros),
      })),
    closing_balance: formatMicros(lines.reduce((sum, line) => sum + line.changeMicros, openingMicros)),
  };
  return { ...statement, digest: createHash('sha256').update(JSON.stringify(statement)).digest('hex') };
}

function balanceOf(sums: readonly EntrySum[]): bigint {
  return sums.reduce((balance, sum) => balance + changeOfSum(sum).balance, 0n);
}

/** Entries change balances in proportion to their amounts, so the change of a sum is the sum of the changes. */
function changeOfSum({ kind, amountMicros }: EntrySum): Change {
  return changeOf({ kind, amountMicros });
}

/** Sorts lines: credits first, captures last, by model. */
function order({ kind, model }: EntrySum): string {
  return `${kind === 'credit' ? 0 : kind === 'capture' ? 2 : 1} ${kind} ${model ?? ''}`;
}

export const statementHeader = ['item', 'model', 'entries', 'amount'];

export function statementRows(statement: StatementOf<string>): (string | number | null)[][] {
  return [
    ['opening_balance', null, null, statement.opening_balance],
    ...statement.lines.map(({ kind, model, entries, amount }) => [kind, model, entries, amount]),
    ['closing_balance', null, null, statement.closing_balance],
  ];
}
