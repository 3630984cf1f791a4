import type { Static } from 'typebox';
import { findAccount } from '../../../../accounts/account-store.ts';
import { listKeys } from '../../../../accounts/key-store.ts';
import type { Prices } from '../../../../accounts/price-groups/price-book.ts';
import { presentRetention, retentionOf } from '../../../../accounts/retention/retention.ts';
import { readOwnRetention } from '../../../../accounts/retention/retention-store.ts';
import type { Viewer } from '../../../../accounts/sign-in/sessions.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { AppError } from '../../../../errors.ts';
import { type Bucket, countJobs, listDurations, sumOf } from '../../../../jobs/activity-store.ts';
import { listJobs, shownPromptLength } from '../../../../jobs/job-list-store.ts';
import { readQueue } from '../../../../jobs/job-store.ts';
import { type PresentDeps, presentJobs } from '../../../../jobs/present-job.ts';
import type { LiveRoutes } from '../../../../jobs/routes/live-routes.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import { presentBalance } from '../../../../money/ledger/present-balance.ts';
import { findEndpoints } from '../../../../notify/webhooks/endpoints/endpoint-store.ts';
import type { Catalogue } from '../../../../upstream/catalog/catalogue.ts';
import type { jobSchema } from '../../nouns/jobs/job-schemas.ts';
import { presentAccountRef } from '../present-account-ref.ts';
import { presentQueue } from '../present-queue.ts';
import { findProblems } from './find-problems.ts';

const hourMs = 60 * 60 * 1000;
const shownHours = 24;
const shownImages = 12;
const maxDurations = 2_000;

export interface OverviewDeps extends PresentDeps {
  clock: Clock;
  catalogue: Catalogue;
  prices: Prices;
  routes: Pick<LiveRoutes, 'settings'>;
}

export async function readOverview(deps: OverviewDeps, accountId: string, viewer: Viewer) {
  const { database, clock } = deps;
  const account = await findAccount(database.read, accountId);
  if (!account) throw new AppError('not_found', 'There is no such account.');
  const now = clock.nowMs();
  const thisHour = Math.floor(now / hourMs);
  const fromMs = (thisHour - shownHours + 1) * hourMs;
  const buckets = await countJobs(database.reports, {
    accountId,
    fromMs,
    toMs: now + hourMs,
    slotMs: hourMs,
    by: 'error',
  });
  const queue = await readQueue(database.reports, { accountId });
  const done = { accountId, status: 'done' } as const;
  const page = { limit: shownImages, promptLength: shownPromptLength };
  const images = await listJobs(database.reports, done, page);
  const latest: Static<typeof jobSchema>[] = await presentJobs(deps, images);
  const own = await readOwnRetention(database.read, accountId);
  const keys = await listKeys(database.read, accountId);
  const endpoints = await findEndpoints(database.read, [accountId]);
  return {
    account: presentAccountRef(account),
    balance: presentBalance(account),
    queue: presentQueue(queue),
    /** The jobs created since midnight UTC. */
    today: await summarise(deps, accountId, buckets, now),
    hours: Array.from({ length: shownHours }, (_, index) => {
      const slot = thisHour - shownHours + 1 + index;
      const count = sumOf(buckets.filter((bucket) => bucket.slot === slot));
      return {
        hour: toIso(slot * hourMs),
        done: count.done,
        failed: count.failed,
        open: count.jobs - count.done - count.failed,
      };
    }),
    latest_images: latest,
    retention: presentRetention(retentionOf(deps.retention, own)),
    problems: await findProblems(
      deps,
      { account, queue, endpoints, lastDay: sumOf(buckets.filter(isNotCancelled)) },
      viewer,
    ),
    offers_connection:
      viewer.operator && deps.routes.settings().every(({ provider }) => provider === 'sketch'),
    steps: {
      image_made: images.length > 0,
      key_created: keys.length > 0,
      key_used: keys.some(({ lastUsedAt }) => lastUsedAt !== null),
      webhook_set: endpoints.length > 0,
    },
  };
}

/** People do not think of a job that they cancelled as failed. */
function isNotCancelled({ series }: Bucket): boolean {
  return series !== 'cancelled';
}

async function summarise(
  { database }: OverviewDeps,
  accountId: string,
  buckets: readonly Bucket[],
  now: number,
) {
  const midnight = new Date(now).setUTCHours(0, 0, 0, 0);
  const ofToday = buckets.filter(({ slot }) => slot * hourMs >= midnight);
  const { jobs } = sumOf(ofToday);
  const today = sumOf(ofToday.filter(isNotCancelled));
  const durations = await listDurations(database.reports, {
    accountId,
    fromMs: midnight,
    limit: maxDurations,
  });
  const quantile = (part: number) =>
    durations[Math.min(durations.length - 1, Math.floor(durations.length * part))] ?? null;
  const finished = today.done + today.failed;
  return {
    jobs,
    done: today.done,
    failed: today.failed,
    success_rate: finished === 0 ? null : today.done / finished,
    spent: formatMicros(today.spentMicros),
    /** The median time from creation to end, of `done` jobs. */
    p50_ms: quantile(0.5),
    p95_ms: quantile(0.95),
  };
}
