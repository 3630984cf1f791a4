import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import { readNow } from '../../../../base/db/rows.ts';
import { findOwnJobs, shownPromptLength } from '../../../../jobs/job-list-store.ts';
import { type PresentDeps, presentJobs } from '../../../../jobs/present-job.ts';
import { readPresentedBalance } from '../../../../money/ledger/present-balance.ts';
import type { jobSchema } from '../../nouns/jobs/job-schemas.ts';
import { findLastEntryId, listActivity, listStarted } from './job-page-store.ts';

// The longest wait of a poll, below the 30 s after which proxies drop a silent response.
const waitMs = 25_000;
// The pause between two checks for changes, short enough to feel live. A check takes two index queries.
const lookEveryMs = 400;
const maxEntries = 100;

type Position = readonly [entryId: number, startedAt: number];

/** Waits for changes to an account's jobs. Any process may have made them. */
export async function waitForChanges(
  deps: PresentDeps,
  { accountId, position, signal }: { accountId: string; position: Position | undefined; signal: AbortSignal },
) {
  const { database } = deps;
  if (!position) {
    const now = [await findLastEntryId(database.read, accountId), await readNow(database.read)] as const;
    return present(deps, accountId, { jobIds: [], more: false, position: now });
  }
  const [afterEntry, afterMs] = position;
  for (const endAt = performance.now() + waitMs; ; ) {
    const { jobIds, entryId } = await listActivity(database.read, {
      accountId,
      afterEntry,
      limit: maxEntries,
    });
    const started = await listStarted(database.read, accountId, afterMs);
    const isOver = performance.now() >= endAt || signal.aborted;
    if (entryId > afterEntry || started.length > 0 || isOver) {
      return present(deps, accountId, {
        jobIds: [...new Set([...jobIds, ...started.map(({ id }) => id)])],
        more: jobIds.length === maxEntries,
        position: [entryId, Math.max(afterMs, ...started.map(({ startedAt }) => startedAt))],
      });
    }
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {});
  }
}

interface Found {
  jobIds: string[];
  more: boolean;
  position: Position;
}

async function present(deps: PresentDeps, accountId: string, { jobIds, more, position }: Found) {
  const { database } = deps;
  const jobs = await findOwnJobs(database.read, accountId, jobIds, shownPromptLength);
  const data: Static<typeof jobSchema>[] = await presentJobs(deps, jobs);
  return {
    /** At most 100 jobs. If there are `more`, the client calls again immediately. */
    data,
    more,
    position,
    balance: await readPresentedBalance(database.read, accountId),
  };
}
