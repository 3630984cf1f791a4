import Type from 'typebox';
import type { Database } from '../../../db/database.ts';
import { readCursor, writeCursor } from '../../../http/cursor.ts';
import {
  amount,
  closed,
  cursor,
  named,
  nullable,
  numberedId,
  oneOf,
  page,
  pageLimit,
  time,
} from '../../../http/schemas.ts';
import { type Change, changeOf, entryKinds } from '../../../ledger/entry.ts';
import { type EntryFilter, listEntryPage } from '../../../ledger/entry-page-store.ts';
import { presentEntry } from '../../../ledger/present-entry.ts';
import type { OpaqueIds } from '../../../std/sealing/opaque-ids.ts';
import { apiCall } from '../../api-call.ts';

/**
 * A page of entries, newest first. The cursor carries the running balance: entries never change, so it still
 * holds on the next page.
 */
export async function readEntries(
  { database, ids }: { database: Database; ids: OpaqueIds },
  { cursor, limit, ...filter }: Omit<EntryFilter, 'before'> & { cursor?: string },
) {
  const [before, balance, reserved] = readCursor(cursor, ['number', 'micros', 'micros']) ?? [];
  const page = await listEntryPage(database.reports, {
    ...filter,
    limit: limit + 1,
    ...(before !== undefined && { before }),
  });
  let after: Change = {
    balance: page.balance?.balanceMicros ?? 0n,
    reserved: page.balance?.reservedMicros ?? 0n,
  };
  if (balance !== undefined && reserved !== undefined)
    after = { balance: BigInt(balance), reserved: BigInt(reserved) };

  const entries = page.entries.slice(0, limit);
  const data = entries.map((entry) => {
    const presented = presentEntry(ids, entry, filter.kind === undefined ? after : null);
    const change = changeOf(entry);
    after = { balance: after.balance - change.balance, reserved: after.reserved - change.reserved };
    return presented;
  });
  const last = entries.at(-1);
  const hasMore = page.entries.length > limit && last !== undefined;
  return {
    data,
    next_cursor: hasMore ? writeCursor([last.id, String(after.balance), String(after.reserved)]) : null,
  };
}

export const entrySchema = Type.Object(
  {
    entry_id: numberedId('entry'),
    kind: oneOf(entryKinds, { title: 'EntryKind', 'x-open': true }),
    amount: amount('Never negative.'),
    balance_change: amount('What it did to `balance`, with its sign.'),
    reserved_change: amount('What it did to `reserved`, with its sign.'),
    balance_after: nullable(amount('Right after it; null in a list of one kind.')),
    reserved_after: nullable(amount('Right after it; null in a list of one kind.')),
    job_id: nullable(Type.String({ format: 'uuid' }), {
      description: 'Null for what an operator did: a `credit` or a `debit`.',
    }),
    reason: nullable(Type.String(), { description: 'What an operator wrote to it.' }),
    reference: Type.Optional(
      Type.String({ description: 'What others call the payment; only of entries that have one.' }),
    ),
    corrects: Type.Optional(
      numberedId('entry', 'The `entry_id` that a `debit` takes back; only where it does.'),
    ),
    created_at: time('When it was written.'),
  },
  { $id: 'Entry' },
);

const defaultPageSize = 20;

export const entryListQuery = closed({
  limit: pageLimit(defaultPageSize),
  cursor: Type.Optional(cursor()),
  kind: Type.Optional(oneOf(entryKinds, { title: 'KnownEntryKind' })),
});

/** `GET /entries`: every change of the balance. */
export function entriesCall(deps: { database: Database; ids: OpaqueIds }) {
  return apiCall({
    tag: 'Account',
    operationId: 'listEntries',
    summary: 'List the entries of the ledger, newest first',
    description:
      'Every change of balance and reserved: what operators credit and debit, and what jobs cost. A job has one `reserve`, then one `capture` when it is done or one `release` when it failed.',
    query: entryListQuery,
    status: 200,
    reply: page('EntryList', named(entrySchema)),
    errors: [],
    handle: ({ apiKey: { accountId }, query: { limit, ...filter } }) =>
      readEntries(deps, { ...filter, accountId, limit: Number(limit ?? defaultPageSize) }),
  });
}
