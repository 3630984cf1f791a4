import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { readCursor, sizeOf, writeCursor } from '../../../../base/http/cursor.ts';
import {
  amount,
  named,
  nullable,
  numberedId,
  oneOf,
  page,
  pageQuery,
  time,
} from '../../../../base/http/schemas.ts';
import type { OpaqueIds } from '../../../../base/std/sealing/opaque-ids.ts';
import { findOwnJobs, shownPromptLength } from '../../../../jobs/job-list-store.ts';
import { type Change, changeOf, entryKinds } from '../../../../money/ledger/entry.ts';
import { type EntryFilter, listEntryPage } from '../../../../money/ledger/entry-page-store.ts';
import { presentEntry } from '../../../../money/ledger/present-entry.ts';
import { accountCall, type Caller } from '../../account-call.ts';

export interface EntryDeps {
  database: Database;
  ids: OpaqueIds;
}

/** Reads entries, newest first. Their running balance is in the cursor, and stays correct as entries never change. */
async function readEntries(
  { database, ids }: EntryDeps,
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
    balance_change: amount('The change of `balance`, with its sign.'),
    reserved_change: amount('The change of `reserved`, with its sign.'),
    balance_after: nullable(amount('Right after it; null in a list of one kind.')),
    reserved_after: nullable(amount('Right after it; null in a list of one kind.')),
    job_id: nullable(Type.String({ format: 'uuid' }), {
      description: "Null for operators' entries (`credit` or `debit`).",
    }),
    reason: nullable(Type.String(), { description: 'The reason that an operator gave.' }),
    reference: Type.Optional(Type.String({ description: 'Your name for the payment, if it has one.' })),
    corrects: Type.Optional(
      numberedId('entry', 'The `entry_id` of the credit that a `debit` corrects, if it does.'),
    ),
    created_at: time('When it was written.'),
    prompt: Type.Optional(
      nullable(Type.String(), {
        description:
          "The beginning of the job's prompt; only with `include=prompt`. Null if the job was removed, or for callers who may not see images.",
      }),
    ),
  },
  { $id: 'Entry' },
);

const entryListQuery = pageQuery({
  kind: Type.Optional(oneOf(entryKinds, { title: 'KnownEntryKind' })),
  include: Type.Optional(
    oneOf(['prompt'], { title: 'EntryExtra', description: 'The additional fields of each entry.' }),
  ),
});

export function entriesCall(deps: EntryDeps) {
  return accountCall({
    tag: 'Money',
    operationId: 'listEntries',
    summary: 'List the entries of the ledger, newest first',
    description:
      'Every change of balance and reserved amount: credits and debits of operators, and the costs of jobs. A job has one `reserve`, then one `capture` when it is done or one `release` when it failed.',
    query: entryListQuery,
    reply: page('EntryList', named(entrySchema)),
    async handle({ query: { limit, include, ...filter }, ...caller }) {
      const { accountId } = caller;
      const found = await readEntries(deps, {
        ...filter,
        accountId,
        limit: sizeOf(limit),
      });
      return include === undefined ? found : { ...found, data: await withPrompts(deps, caller, found.data) };
    },
  });
}

async function withPrompts<Entry extends { job_id: string | null }>(
  { database }: EntryDeps,
  { accountId, may }: Pick<Caller, 'accountId' | 'may'>,
  entries: readonly Entry[],
): Promise<(Entry & { prompt: string | null })[]> {
  const ids = may('see_pictures') ? new Set(entries.flatMap((entry) => entry.job_id ?? [])) : [];
  const jobs = await findOwnJobs(database.read, accountId, [...ids], shownPromptLength);
  const prompts = new Map(jobs.map(({ id, prompt }) => [id, prompt]));
  return entries.map((entry) => ({ ...entry, prompt: prompts.get(entry.job_id ?? '') ?? null }));
}
