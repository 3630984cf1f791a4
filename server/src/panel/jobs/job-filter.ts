import { isPanelKey, panelKeyName } from '../../accounts/panel-key.ts';
import { readPairs } from '../../api/job-filters.ts';
import { AppError } from '../../errors.ts';
import { type JobFilter, listJobs } from '../../jobs/job-list-store.ts';
import { isUuid } from '../../std/ids.ts';
import type { Cell } from '../csv.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { JobQuery } from './contract.ts';
import { idsThatBeginWith } from './id-range.ts';
import { findJobByIdempotencyKey } from './job-page-store.ts';
import { presentJobRow } from './present-job-row.ts';

const csvPageSize = 500;

/** Reads a filter from the query; undefined when nothing can match. @throws AppError `invalid_request` */
export async function readJobFilter(
  deps: Pick<PanelDeps, 'database'>,
  accountId: string,
  query: Omit<JobQuery, 'cursor' | 'limit'>,
): Promise<JobFilter | undefined> {
  const { status, model, key_id: key, from, to, search } = query;
  const metadata = readPairs(query);
  const keyId = key === panelKeyName ? accountId : key;
  if (keyId !== undefined && !isUuid(keyId)) return undefined;
  const ids = search === undefined ? undefined : await findIds(deps, accountId, search.trim());
  if (ids === null) return undefined;
  return {
    accountId,
    ...(status && { status }),
    ...(model && { model }),
    ...(keyId && { keyId }),
    ...(from && { fromMs: readTime('from', from) }),
    ...(to && { toMs: readTime('to', to) }),
    ...(ids && { ids }),
    ...(metadata.length > 0 && { metadata }),
  };
}

/** Yields the same jobs, page by page, as rows of a table. */
export async function* jobRowsForCsv(
  deps: PanelDeps,
  accountId: string,
  query: JobQuery,
): AsyncGenerator<Cell[]> {
  const filter = await readJobFilter(deps, accountId, query);
  if (!filter) return;
  for (let before: string | undefined; ; ) {
    const page = { before, limit: csvPageSize, shortPrompts: true };
    const jobs = await listJobs(deps.database.read, filter, page);
    for (const job of jobs) {
      const row = presentJobRow(job, deps.links);
      yield [
        ...[row.job_id, row.status, row.model, row.mode, row.resolution, row.aspect_ratio, row.price],
        ...[isPanelKey(job) ? panelKeyName : job.keyId, row.created_at, row.started_at, row.finished_at],
        ...[row.error_code, row.error, row.prompt, job.metadata && JSON.stringify(job.metadata)],
      ];
    }
    before = jobs.at(-1)?.id;
    if (jobs.length < csvPageSize) return;
  }
}

async function findIds({ database }: Pick<PanelDeps, 'database'>, accountId: string, search: string) {
  const ids = idsThatBeginWith(search);
  if (ids) return ids;
  const jobId = await findJobByIdempotencyKey(database.read, accountId, search);
  return jobId === null ? null : { first: jobId, last: jobId };
}

function readTime(name: string, text: string): number {
  const ms = Date.parse(text);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const detail = 'must be a time such as 2026-11-20T00:00:00Z.';
  throw new AppError('invalid_request', `${name} ${detail}`, {
    errors: [{ pointer: `/query/${name}`, detail }],
  });
}
