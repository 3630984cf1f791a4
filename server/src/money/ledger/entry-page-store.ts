import { sql } from 'kysely';
import type { Queries } from '../../base/db/schema.ts';
import type { EntryKind } from './entry.ts';

export interface WrittenEntry {
  id: number;
  accountId: string;
  kind: EntryKind;
  amountMicros: bigint;
  /** Null for operators' entries. */
  jobId: string | null;
  /** The operator's reason; empty for other entries. */
  reason: string;
  reference: string | null;
  corrects: number | null;
  createdAt: number;
}

export interface EntryPage {
  entries: WrittenEntry[];
  /** The account's balance when the entries were read; undefined if there are none. */
  balance: { balanceMicros: bigint; reservedMicros: bigint } | undefined;
}

export interface EntryFilter {
  accountId: string;
  kind?: EntryKind;
  before?: number;
  limit: number;
}

/** Lists entries, newest first, with the balance of the same moment, because one statement reads one snapshot. */
export async function listEntryPage(
  queries: Queries,
  { accountId, kind, before = Number.MAX_SAFE_INTEGER, limit }: EntryFilter,
): Promise<EntryPage> {
  const rows = await queries
    .selectFrom('entries')
    .innerJoin('accounts', 'accounts.id', 'entries.account_id')
    .selectAll('entries')
    .select(['accounts.balance_micros', 'accounts.reserved_micros'])
    .where('entries.account_id', '=', accountId)
    .where('entries.id', '<', before)
    .$if(kind !== undefined, (query) => query.where('entries.kind', '=', kind ?? 'credit'))
    .orderBy('entries.id', 'desc')
    .limit(limit)
    .execute();
  const [first] = rows;
  return {
    entries: rows.map(toEntry),
    balance: first && { balanceMicros: first.balance_micros, reservedMicros: first.reserved_micros },
  };
}

/** Finds the entry just written. The caller holds the account's lock. */
export async function findNewestEntryId(
  queries: Queries,
  accountId: string,
  kind: EntryKind,
): Promise<number | null> {
  const row = await queries
    .selectFrom('entries')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function findNewestAccount(queries: Queries): Promise<string | null> {
  const row = await queries
    .selectFrom('entries')
    .select('account_id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.account_id ?? null;
}

/** Oldest first. */
export async function listEntriesAfter(
  queries: Queries,
  { accountId, after, limit }: { accountId: string; after: number; limit: number },
): Promise<WrittenEntry[]> {
  const rows = await queries
    .selectFrom('entries')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toEntry);
}

export async function findEntry(queries: Queries, id: number): Promise<WrittenEntry | undefined> {
  const row = await queries.selectFrom('entries').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toEntry(row);
}

export async function findEntryByReference(
  queries: Queries,
  accountId: string,
  reference: string,
): Promise<WrittenEntry | undefined> {
  const row = await queries
    .selectFrom('entries')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('reference', '=', reference)
    .executeTakeFirst();
  return row && toEntry(row);
}

/** Sums the debits that correct a credit. Reads all later entries, because an index would slow down every job. */
export async function sumCorrections(
  queries: Queries,
  { id, accountId }: Pick<WrittenEntry, 'id' | 'accountId'>,
): Promise<bigint> {
  const rows = await queries
    .selectFrom('entries')
    .select('amount_micros')
    .where('account_id', '=', accountId)
    .where('id', '>', id)
    .where('corrects', '=', id)
    .execute();
  return rows.reduce((sum, { amount_micros: amount }) => sum + amount, 0n);
}

/** Oldest first. */
export async function listEntriesOfJob(queries: Queries, jobId: string): Promise<WrittenEntry[]> {
  // Uses two queries, because `reserve` entries have an index of their own.
  const reserves = await queries
    .selectFrom('entries')
    .selectAll()
    .where('job_id', '=', jobId)
    .where(sql<boolean>`kind = 'reserve'`)
    .execute();
  const settlements = await queries
    .selectFrom('entries')
    .selectAll()
    .where('job_id', '=', jobId)
    .where(sql<boolean>`kind in ('capture', 'release')`)
    .execute();
  return [...reserves, ...settlements].map(toEntry);
}

function toEntry(row: {
  id: number;
  account_id: string;
  kind: EntryKind;
  amount_micros: bigint;
  job_id: string | null;
  reason: string | null;
  reference: string | null;
  corrects: number | null;
  created_at: number;
}): WrittenEntry {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    amountMicros: row.amount_micros,
    jobId: row.job_id,
    reason: row.reason ?? '',
    reference: row.reference,
    corrects: row.corrects,
    createdAt: row.created_at,
  };
}
