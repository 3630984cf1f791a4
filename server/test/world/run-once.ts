import type { Database } from '../../src/base/db/database.ts';
import type { ClockWatch } from '../../src/base/std/clock-watch.ts';
import { readConfig } from '../../src/config/config.ts';
import { type ClaimedJob, type ClaimOptions, claimJobs } from '../../src/jobs/queue/claim-jobs.ts';
import { type MaintainDeps, type Maintained, maintainJobs } from '../../src/jobs/queue/maintain-jobs.ts';
import { noDefaults } from '../../src/money/limits/limit.ts';
import { readCatalogue } from '../../src/upstream/catalog/catalogue.ts';

const { worker: policy, maxQueuedMs } = readConfig({});

export async function claimOnce(
  database: Database,
  watch: ClockWatch,
  options: Pick<ClaimOptions, 'worker' | 'routes' | 'limit' | 'leaseMs'> & Partial<ClaimOptions>,
): Promise<ClaimedJob[]> {
  const { jobTimeoutMs } = policy;
  const catalogue = options.catalogue ?? (await readCatalogue(database.read));
  return claimJobs(database, {
    jobTimeoutMs,
    watch,
    limitDefaults: noDefaults,
    onSettled: () => {},
    costs: new Map(),
    held: { jobs: 0, company: Number.POSITIVE_INFINITY },
    slots: policy.concurrency,
    ...options,
    catalogue,
  });
}

export function maintainOnce(
  database: Database,
  watch: ClockWatch,
  options: Partial<MaintainDeps> = {},
): Promise<Maintained> {
  const { jobTimeoutMs, leaseMs } = policy;
  return maintainJobs({
    database,
    routes: { list: () => [] },
    maxQueuedMs,
    jobTimeoutMs,
    leases: { watch, leaseMs },
    onSettled: () => {},
    onClaimable: () => {},
    checkQueued: options.maxQueuedMs !== undefined,
    ...options,
  });
}
