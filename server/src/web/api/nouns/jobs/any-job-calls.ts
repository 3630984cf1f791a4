import Type from 'typebox';
import { accountOf } from '../../../../accounts/account-of.ts';
import { sizeOf } from '../../../../base/http/cursor.ts';
import { named, oneOf, page, pageQuery } from '../../../../base/http/schemas.ts';
import { isUuid } from '../../../../base/std/ids.ts';
import { listCosts } from '../../../../jobs/costs/attempt-cost-store.ts';
import { presentCost } from '../../../../jobs/costs/present-cost.ts';
import { unknownJob } from '../../../../jobs/get-job.ts';
import { type Job, jobStatuses } from '../../../../jobs/job.ts';
import { findJobs } from '../../../../jobs/job-store.ts';
import { listJobPage } from '../../../../jobs/list-job-page.ts';
import { type PresentDeps, presentJobs } from '../../../../jobs/present-job.ts';
import { installationCall } from '../../installation-call.ts';
import { attemptSchema } from './attempt-schema.ts';
import { type FilterDeps, readFilter, readPosition, writePosition } from './job-filters.ts';
import { jobSchema } from './job-schemas.ts';

export type AnyJobDeps = FilterDeps & PresentDeps & { currency: string };

export const accountJobSchema = Type.Object(
  {
    account_id: Type.String({ format: 'uuid', description: 'The account that pays.' }),
    ...jobSchema.properties,
  },
  { $id: 'AccountJob' },
);

const jobWithAttemptsSchema = Type.Object(
  {
    ...accountJobSchema.properties,
    attempts: Type.Array(attemptSchema, {
      description:
        'The attempts that have ended, oldest first, with the cost of each, including those without an image.',
    }),
  },
  { title: 'AccountJobWithAttempts' },
);

const tag = 'Jobs';
const jobParams = Type.Object({ job_id: Type.String() });
const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

export function anyJobCalls(deps: AnyJobDeps) {
  const { database } = deps;
  const present = async (jobs: readonly Job[]) => {
    const shown = await presentJobs(deps, jobs);
    return shown.map((job, index) => ({ account_id: jobs[index]?.accountId ?? '', ...job }));
  };
  return {
    list: installationCall({
      tag,
      operationId: 'listJobs',
      summary: 'List jobs of all accounts, newest first',
      query: pageQuery({
        account: text(100, 'Only jobs of this account.'),
        status: Type.Optional(oneOf(jobStatuses, { title: 'JobStatus' })),
        model: text(40, 'The id of the model, which may have been removed.'),
        key_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only jobs of this key.' })),
        from: text(40, 'Created at this time or later.'),
        to: text(40, 'Created before this time.'),
      }),
      reply: page('AccountJobList', named(accountJobSchema)),
      errors: ['not_found'],
      async handle({ query: { account, limit, ...query } }) {
        const accountId = account === undefined ? undefined : (await accountOf(database.read, account)).id;
        const filter = await readFilter(deps, accountId, query);
        const { jobs, next } = await listJobPage(database, filter, {
          after: readPosition(query),
          limit: sizeOf(limit),
        });
        return { data: await present(jobs), next_cursor: writePosition(next) };
      },
    }),

    get: installationCall({
      tag,
      operationId: 'getJob',
      summary: 'Read a job',
      params: jobParams,
      reply: jobWithAttemptsSchema,
      errors: ['not_found'],
      async handle({ params: { job_id: id } }) {
        const [job] = await present(isUuid(id) ? await findJobs(database.read, [id]) : []);
        if (!job) throw unknownJob();
        const costs = await listCosts(database.read, job.job_id);
        return { ...job, attempts: costs.map((cost) => presentCost(cost, deps.currency)) };
      },
    }),
  };
}
