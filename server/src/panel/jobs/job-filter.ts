import { isPanelKey, panelKeyName } from '../../accounts/panel-key.ts';
import { readFilter } from '../../api/nouns/jobs/job-filters.ts';
import { shownPromptLength } from '../../jobs/job-list-store.ts';
import { type JobListQuery, type ListPosition, listJobPage } from '../../jobs/list-job-page.ts';
import { readTags } from '../../jobs/tags/tag-store.ts';
import { formatMicros } from '../../ledger/money.ts';
import { toIso, toIsoOrNull } from '../../std/iso-time.ts';
import type { Cell } from '../csv.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { JobQuery } from './contract.ts';
import { idsThatBeginWith } from './id-range.ts';
import { findJobByIdempotencyKey } from './job-page-store.ts';

const csvPageSize = 500;

/** That of the API, and `search`; undefined when nothing can match. @throws AppError `invalid_request` */
export async function readPanelFilter(
  deps: Pick<PanelDeps, 'database' | 'catalogue'>,
  accountId: string,
  { search, ...query }: Omit<JobQuery, 'cursor' | 'limit'>,
): Promise<JobListQuery | undefined> {
  const filter = await readFilter(deps, accountId, query);
  if (search === undefined) return filter;
  const ids = await findIds(deps, accountId, search.trim());
  return ids ? { ...filter, ids } : undefined;
}

export const csvHeader = [
  ...['job_id', 'status', 'model', 'mode', 'resolution', 'aspect_ratio', 'price'],
  ...['key', 'created_at', 'started_at', 'finished_at'],
  ...['error_code', 'error', 'prompt', 'metadata', 'tags', 'starred'],
];

/** The jobs of a list, page by page, as rows of a table. */
export async function* jobRowsForCsv(
  deps: PanelDeps,
  accountId: string,
  query: JobQuery,
): AsyncGenerator<Cell[]> {
  const filter = await readPanelFilter(deps, accountId, query);
  if (!filter) return;
  for (let after: ListPosition | undefined; ; ) {
    const page = { after, limit: csvPageSize, promptLength: shownPromptLength };
    const { jobs, next } = await listJobPage(deps.database, filter, page);
    const tagsOf = await readTags(
      deps.database.reports,
      jobs.map(({ id }) => id),
    );
    for (const job of jobs) {
      const { tags, starred } = tagsOf(job.id);
      yield [
        ...[job.id, job.status, job.model, job.mode, job.resolution],
        ...[job.aspectRatio ?? job.requestedRatio, formatMicros(job.priceMicros)],
        ...[isPanelKey(job) ? panelKeyName : job.keyId, toIso(job.createdAt)],
        ...[toIsoOrNull(job.startedAt), toIsoOrNull(job.finishedAt)],
        ...[job.errorCode, job.error, job.prompt, job.metadata && JSON.stringify(job.metadata)],
        ...[tags.length > 0 ? JSON.stringify(tags) : null, starred ? 'yes' : null],
      ];
    }
    if (!next) return;
    after = next;
  }
}

async function findIds({ database }: Pick<PanelDeps, 'database'>, accountId: string, search: string) {
  const ids = idsThatBeginWith(search);
  if (ids) return ids;
  const jobId = await findJobByIdempotencyKey(database.read, accountId, search);
  return jobId === null ? null : { first: jobId, last: jobId };
}
