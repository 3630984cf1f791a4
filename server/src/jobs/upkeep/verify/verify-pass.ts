import type { Queries } from '../../../base/db/schema.ts';
import {
  checkAccounts,
  checkBatches,
  checkJobs,
  checkKeys,
  checkLimits,
  checkSums,
  type Violation,
} from './checks-store.ts';
import { type AccountSums, sumNextEntries } from './entry-sums-store.ts';
import { type After, findPage, isInPage, type Paged, type TablePage } from './pages-store.ts';

export const stages = ['accounts', 'entries', 'keys', 'jobs', 'batches', 'limits'] as const;
export type Stage = (typeof stages)[number];

/** A position in a pass, stored as JSON. */
export interface Position {
  stage: Stage;
  after: After;
}

export const atStart: Position = { stage: 'accounts', after: null };

export interface Verified {
  stage: Stage;
  rows: number;
  violations: Violation[];
  /** Where another pass could continue; null at the end. */
  position: Position | null;
}

type Step = Pick<Verified, 'rows' | 'violations'> & { after: After };

/** Verifies everything once, in pages of about `rows()` rows. The consumer can stop after any page. */
export async function* verifyPass(
  queries: Queries,
  { from = atStart, rows }: { from?: Position | undefined; rows: () => number },
): AsyncGenerator<Verified> {
  for (const stage of stages.slice(stages.indexOf(from.stage))) {
    const after = stage === from.stage ? from.after : null;
    const next = stages[stages.indexOf(stage) + 1];
    for await (const step of steps[stage](queries, after, rows))
      yield {
        stage,
        rows: step.rows,
        violations: step.violations,
        position: step.after ? { stage, after: step.after } : next ? { stage: next, after: null } : null,
      };
  }
}

// The maximum number of accounts per page, each of which may have many open jobs to sum.
const mostAccounts = 1_000;
// The maximum number of entries per page, each of which may be of another account. `rowsOf` binds seven values per
// account and rounds their number up. SQLite takes at most 32,766 values.
const mostEntries = 4_000;
// The maximum number of batches per page, each of which may have 10,000 jobs.
const mostBatches = 10;

const steps: Record<
  Stage,
  (queries: Queries, after: After, rows: () => number) => AsyncGenerator<Step, void>
> = {
  accounts: (queries, after, rows) =>
    tableSteps(
      queries,
      'accounts',
      after,
      () => Math.min(rows(), mostAccounts),
      (page) => checkAccounts(queries, (column) => isInPage('accounts', page, [column])),
    ),
  entries: entrySteps,
  keys: (queries, after, rows) =>
    tableSteps(queries, 'idempotency_keys', after, rows, (page) =>
      checkKeys(
        queries,
        isInPage('idempotency_keys', page, ['idempotency_keys.account_id', 'idempotency_keys.key']),
      ),
    ),
  jobs: (queries, after, rows) =>
    tableSteps(queries, 'jobs', after, rows, (page) =>
      checkJobs(queries, (column) => isInPage('jobs', page, [column])),
    ),
  batches: (queries, after, rows) =>
    tableSteps(
      queries,
      'batches',
      after,
      () => Math.min(rows(), mostBatches),
      (page) => checkBatches(queries, (column) => isInPage('batches', page, [column])),
    ),
  async *limits(queries) {
    yield { rows: 0, violations: await checkLimits(queries), after: null };
  },
};

async function* tableSteps(
  queries: Queries,
  table: Paged,
  first: After,
  rows: () => number,
  check: (page: TablePage) => Promise<Violation[]>,
): AsyncGenerator<Step, void> {
  for (let after = first; ; ) {
    const page = await findPage(queries, table, after, rows());
    yield { rows: page.rows, violations: await check(page), after: page.upTo };
    if (page.upTo === null) return;
    after = page.upTo;
  }
}

/** Yields the steps for entries. An account may span pages, so its balance is compared after its last entry. */
async function* entrySteps(queries: Queries, after: After, rows: () => number): AsyncGenerator<Step, void> {
  const [done] = after ?? [];
  let last: { account: string; lastId: number | null } | undefined = done
    ? { account: done, lastId: null }
    : undefined;
  let begun = new Map<string, AccountSums>();
  for (let complete = after; ; ) {
    const page = await sumNextEntries(queries, { after: last, rows: Math.min(rows(), mostEntries) });
    for (const sums of page) begun.set(sums.account, add(sums, begun.get(sums.account)));
    last = page.at(-1);
    const open = last && begun.get(last.account);
    if (last) begun.delete(last.account);
    const violations = begun.size > 0 ? await checkSums(queries, begun) : [];
    const read = [...begun.values()].reduce((sum, { entries }) => sum + entries, 0);
    const compared = [...begun.keys()].at(-1);
    if (compared !== undefined) complete = [compared];
    if (!open) return yield { rows: read, violations, after: null };
    yield { rows: read, violations, after: complete ?? [] };
    begun = new Map([[open.account, open]]);
  }
}

function add(sums: AccountSums, before: AccountSums | undefined): AccountSums {
  if (!before) return sums;
  return {
    ...sums,
    balance: before.balance + sums.balance,
    reserved: before.reserved + sums.reserved,
    ended: before.ended + sums.ended,
    captured: before.captured + sums.captured,
    released: before.released + sums.released,
    entries: before.entries + sums.entries,
  };
}
