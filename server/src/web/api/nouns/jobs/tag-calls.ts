import Type, { type Static } from 'typebox';
import type { RetentionSettings } from '../../../../accounts/retention/retention.ts';
import type { Database } from '../../../../base/db/database.ts';
import { closed, named, nullable, time } from '../../../../base/http/schemas.ts';
import { groupDigits } from '../../../../base/std/group-digits.ts';
import { getJob, type ReadJob, readOwnJobs } from '../../../../jobs/get-job.ts';
import type { Job } from '../../../../jobs/job.ts';
import {
  changeTags,
  maxTagLength,
  maxTags,
  readTag,
  type TagChange,
} from '../../../../jobs/tags/change-tags.ts';
import { readMarks } from '../../../../jobs/tags/read-marks.ts';
import { countTags } from '../../../../jobs/tags/tag-store.ts';
import { accountCall } from '../../account-call.ts';
import { jobParams, ownerOfJob } from './job-params.ts';
import { keptUntilNote } from './job-schemas.ts';

const tag = 'Jobs';
// The maximum number of tags in a list. Accounts with more tags should use `metadata` instead.
const maxListed = 1_000;
const maxJobs = 100;

export const tagsSchema = Type.Object(
  {
    job_id: Type.String({ format: 'uuid' }),
    tags: Type.Array(Type.String(), { description: 'The tags in alphabetical order.' }),
    starred: Type.Boolean(),
    kept_until: Type.Optional(nullable(time(`${keptUntilNote}.`))),
  },
  { $id: 'JobTags' },
);

const tagListSchema = closed(
  {
    data: Type.Array(
      closed(
        { tag: Type.String(), jobs: Type.Integer({ description: 'The number of jobs with this tag.' }) },
        { title: 'TagCount' },
      ),
    ),
  },
  { title: 'TagList' },
);

const tagParams = Type.Object({
  ...jobParams.properties,
  tag: Type.String({ description: `1 to ${maxTagLength} characters; a job can have ${maxTags} tags.` }),
});
const text = Type.String({ minLength: 1, maxLength: 300 });
const someTags = Type.Optional(Type.Array(text, { maxItems: maxTags }));
const note = `A job can have a star and up to ${maxTags} tags. Repeating it changes nothing.`;

interface TagCallDeps {
  database: Database;
  readJob: ReadJob;
  retention: RetentionSettings;
}

interface Named {
  operationId: string;
  summary: string;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function tagCalls({ database, readJob, retention }: TagCallDeps) {
  const change = async (accountId: string, { job_id: jobId }: { job_id: string }, wanted: TagChange) => {
    await changeTags(database, { accountId, jobIds: [jobId] }, wanted);
    return present(await getJob({ readJob }, { accountId, jobId }));
  };
  const present = async (job: Job) => {
    const marksOf = await readMarks(database.read, retention, [job]);
    return { job_id: job.id, ...marksOf(job) };
  };
  const put = <Params extends typeof jobParams>(
    { operationId, summary }: Named,
    params: Params,
    changeOf: (params: Static<Params>) => TagChange,
  ) =>
    accountCall({
      ...{ tag, operationId, summary, description: note, params },
      reply: named(tagsSchema),
      errors: ['not_found', 'body_too_large'],
      ownerOf: ownerOfJob,
      handle: ({ accountId, params }) => change(accountId, params, changeOf(params)),
    });
  const takeOff = <Params extends typeof jobParams>(
    { operationId, summary }: Named,
    params: Params,
    changeOf: (params: Static<Params>) => TagChange,
  ) =>
    accountCall({
      ...{ tag, operationId, summary, description: note, params },
      status: 204,
      reply: Type.Null({ description: 'It is gone.' }),
      errors: ['not_found', 'body_too_large'],
      ownerOf: ownerOfJob,
      async handle({ accountId, params }) {
        await change(accountId, params, changeOf(params));
        return null;
      },
    });
  return {
    list: accountCall({
      tag,
      operationId: 'listTags',
      summary: 'List the tags of the account',
      description: `Lists each tag with the number of its jobs; at most ${groupDigits(maxListed)}.`,
      reply: tagListSchema,
      handle: async ({ accountId }) => ({ data: await countTags(database.reports, accountId, maxListed) }),
    }),
    changeMany: accountCall({
      tag,
      operationId: 'changeTags',
      summary: 'Change the tags and stars of jobs',
      description: `Changes up to ${maxJobs} jobs, all or none. ${note}`,
      body: closed(
        {
          job_ids: Type.Array(text, { minItems: 1, maxItems: maxJobs }),
          add: someTags,
          remove: someTags,
          starred: Type.Optional(Type.Boolean({ description: 'Absent: stars stay unchanged.' })),
        },
        { title: 'TagChange' },
      ),
      reply: closed({ data: Type.Array(named(tagsSchema)) }, { title: 'JobTagsList' }),
      errors: ['not_found'],
      async handle({ accountId, body: { job_ids, add = [], remove = [], starred } }) {
        const wanted = { add: add.map(readTag), remove: remove.map(readTag), starred };
        const jobs = await readOwnJobs(database.read, accountId, job_ids);
        await changeTags(database, { accountId, jobIds: jobs.map(({ id }) => id) }, wanted);
        const marksOf = await readMarks(database.read, retention, jobs);
        return { data: jobs.map((job) => ({ job_id: job.id, ...marksOf(job) })) };
      },
    }),
    get: accountCall({
      tag,
      operationId: 'getJobTags',
      summary: 'Read the tags of a job, and whether it has a star',
      description: 'Jobs are found by them: `GET /jobs?tag=spring&starred=true`.',
      params: jobParams,
      reply: named(tagsSchema),
      errors: ['not_found'],
      ownerOf: ownerOfJob,
      async handle({ accountId, params }) {
        return present(await getJob({ readJob }, { accountId, jobId: params.job_id }));
      },
    }),
    add: put({ operationId: 'addTag', summary: 'Add a tag to a job' }, tagParams, ({ tag }) => ({
      add: [readTag(tag)],
    })),
    remove: takeOff(
      { operationId: 'removeTag', summary: 'Remove a tag from a job' },
      tagParams,
      ({ tag }) => ({
        remove: [readTag(tag)],
      }),
    ),
    star: put({ operationId: 'starJob', summary: 'Give a job a star' }, jobParams, () => ({
      starred: true,
    })),
    unstar: takeOff({ operationId: 'unstarJob', summary: 'Remove the star from a job' }, jobParams, () => ({
      starred: false,
    })),
  };
}
