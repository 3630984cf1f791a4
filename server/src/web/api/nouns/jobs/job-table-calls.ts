import { isPanelKey, panelKeyName } from '../../../../accounts/panel-key.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import { shownPromptLength } from '../../../../jobs/job-list-store.ts';
import { type JobListQuery, type ListPosition, listJobPage } from '../../../../jobs/list-job-page.ts';
import { readTags } from '../../../../jobs/tags/tag-store.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import { accountCall } from '../../account-call.ts';
import { type Cell, csv } from '../../csv.ts';
import { streamed } from '../../streamed.ts';
import { type FilterDeps, filterSchema, jobFormerNames, readFilter } from './job-filters.ts';

const pageSize = 500;

export function jobTableCall(deps: FilterDeps) {
  return accountCall({
    tag: 'Jobs',
    operationId: 'downloadJobTable',
    summary: 'Download the list of jobs as a table',
    description: 'CSV, newest first, by the filters of the list, with how their prompts begin.',
    query: filterSchema({}),
    formerNames: jobFormerNames,
    replyType: 'text/csv',
    reply: streamed,
    handle: async ({ accountId, query }) =>
      csv('jobs.csv', header, rowsOf(deps, await readFilter(deps, accountId, query))),
  });
}

const header = [
  ...['job_id', 'status', 'model', 'mode', 'resolution', 'aspect_ratio', 'price'],
  ...['key', 'created_at', 'started_at', 'finished_at'],
  ...['error_code', 'error', 'prompt', 'metadata', 'tags', 'starred'],
];

async function* rowsOf({ database }: FilterDeps, filter: JobListQuery): AsyncGenerator<Cell[]> {
  for (let after: ListPosition | undefined; ; ) {
    const page = { after, limit: pageSize, promptLength: shownPromptLength };
    const { jobs, next } = await listJobPage(database, filter, page);
    const tagsOf = await readTags(
      database.reports,
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
