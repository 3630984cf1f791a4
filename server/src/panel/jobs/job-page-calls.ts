import Type from 'typebox';
import { filterSchema, readFilter, readPosition, writePosition } from '../../api/nouns/jobs/job-filters.ts';
import { Streamed } from '../../api/streamed.ts';
import { AppError } from '../../errors.ts';
import { clientGone } from '../../http/client-gone.ts';
import { readCursor, writeCursor } from '../../http/cursor.ts';
import { closed, pageLimit } from '../../http/schemas.ts';
import { getJob } from '../../jobs/get-job.ts';
import { shownPromptLength } from '../../jobs/job-list-store.ts';
import { listJobPage } from '../../jobs/list-job-page.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { describeJob } from './present-job-page.ts';
import { presentJobRows } from './present-job-row.ts';
import { waitForChanges } from './wait-for-changes.ts';

const defaultPageSize = 50;

const text = Type.String({ minLength: 1, maxLength: 300 });

/** Jobs of an account: the list, its live changes, and single jobs. */
export function jobPageCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/accounts/:account_id/jobs', {
      query: filterSchema({ cursor: Type.Optional(text), limit: pageLimit(defaultPageSize) }),
      async handle({ params, query }) {
        const limit = Number(query.limit ?? defaultPageSize);
        const after = readPosition(query);
        const filter = await readFilter(deps, params.account_id, query);
        const page = { after, limit, promptLength: shownPromptLength };
        const { jobs, next } = await listJobPage(database, filter, page);
        return { data: await presentJobRows(deps, jobs), next_cursor: writePosition(next) };
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
