import Type from 'typebox';
import { metadataParameters } from '../../api/job-filters.ts';
import { AppError } from '../../errors.ts';
import { clientGone } from '../../http/client-gone.ts';
import { readCursor, toPage, writeCursor } from '../../http/cursor.ts';
import { closed, oneOf, pageLimit } from '../../http/schemas.ts';
import { getJob } from '../../jobs/get-job.ts';
import { jobStatuses } from '../../jobs/job.ts';
import { listJobs } from '../../jobs/job-list-store.ts';
import { csv } from '../csv.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { Streamed } from '../streamed.ts';
import type { JobQuery } from './contract.ts';
import { jobRowsForCsv, readJobFilter } from './job-filter.ts';
import { describeJob } from './present-job-page.ts';
import { presentJobRow } from './present-job-row.ts';
import { waitForChanges } from './wait-for-changes.ts';

const defaultPageSize = 50;

const text = Type.String({ minLength: 1, maxLength: 300 });
const filterFields = {
  status: Type.Optional(oneOf(jobStatuses)),
  model: Type.Optional(text),
  key_id: Type.Optional(text),
  from: Type.Optional(text),
  to: Type.Optional(text),
  search: Type.Optional(text),
};

/** Jobs of an account: the list, its live changes, and single jobs. */
export function jobPageCalls(deps: PanelDeps): PanelCall[] {
  const { database, links } = deps;
  return [
    panelCall('GET /panel/accounts/:account_id/jobs', {
      query: closed(
        { ...filterFields, cursor: Type.Optional(text), limit: pageLimit(defaultPageSize) },
        { patternProperties: metadataParameters },
      ),
      async handle({ params, query }) {
        const limit = Number(query.limit ?? defaultPageSize);
        const [before] = readCursor(query.cursor, ['id']) ?? [];
        const filter = await readJobFilter(deps, params.account_id, query);
        const jobs = filter
          ? await listJobs(database.read, filter, { before, limit: limit + 1, shortPrompts: true })
          : [];
        return toPage(
          jobs.map((job) => presentJobRow(job, links)),
          limit,
          (last) => writeCursor([last.job_id]),
        );
      },
    }),

    panelCall('GET /panel/accounts/:account_id/jobs.csv', {
      query: closed(filterFields, { patternProperties: metadataParameters }),
      async handle({ params, query }) {
        return csv('jobs.csv', csvHeader, jobRowsForCsv(deps, params.account_id, query as JobQuery));
      },
    }),

    panelCall('GET /panel/accounts/:account_id/jobs/changes', {
      query: closed({ cursor: Type.Optional(text) }),
      async handle({ params, query, reply }) {
        const { position, ...changes } = await waitForChanges(deps, {
          accountId: params.account_id,
          position: readCursor(query.cursor, ['number', 'number']),
          signal: AbortSignal.any([clientGone(reply), deps.closing]),
        });
        return { ...changes, cursor: writeCursor(position) };
      },
    }),

    panelCall('GET /panel/accounts/:account_id/jobs/:job_id', {
      handle: ({ params, viewer }) =>
        describeJob(deps, {
          accountId: params.account_id,
          jobId: params.job_id,
          forOperator: viewer.operator,
        }),
    }),

    panelCall('GET /panel/accounts/:account_id/jobs/:job_id/inputs/:index', {
      async handle({ params, reply }) {
        const job = await getJob(deps, { accountId: params.account_id, jobId: params.job_id });
        const input = /^\d{1,2}$/.test(params.index) ? job.inputs[Number(params.index)] : undefined;
        const stored = input && (await deps.images.get(input.key));
        if (!input || !stored) throw new AppError('not_found', 'There is no such input.');
        reply
          .header('cache-control', 'private, max-age=3600')
          .header('content-security-policy', "default-src 'none'");
        return new Streamed({ mediaType: input.mediaType, fileName: null, content: stored.body });
      },
    }),
  ];
}

const csvHeader = [
  'job_id',
  'status',
  'model',
  'mode',
  'resolution',
  'aspect_ratio',
  'price',
  'key',
  'created_at',
  'started_at',
  'finished_at',
  'error_code',
  'error',
  'prompt',
  'metadata',
];
