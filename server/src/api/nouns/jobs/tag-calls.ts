import Type from 'typebox';
import type { Database } from '../../../db/database.ts';
import { closed, named } from '../../../http/schemas.ts';
import { getJob, type ReadJob } from '../../../jobs/get-job.ts';
import {
  changeTags,
  maxTagLength,
  maxTags,
  readTag,
  type TagChange,
} from '../../../jobs/tags/change-tags.ts';
import { countTags, readTags, type Tags } from '../../../jobs/tags/tag-store.ts';
import { groupDigits } from '../../../std/group-digits.ts';
import { type ApiCall, apiCall } from '../../api-call.ts';

// An account that has more uses them for something else; `metadata` is made for that.
const maxListed = 1_000;

export const tagsSchema = Type.Object(
  {
    job_id: Type.String({ format: 'uuid' }),
    tags: Type.Array(Type.String(), { description: 'In the order of the alphabet.' }),
    starred: Type.Boolean(),
  },
  { $id: 'JobTags' },
);

const tagListSchema = closed(
  {
    data: Type.Array(
      closed(
        { tag: Type.String(), jobs: Type.Integer({ description: 'How many jobs have it.' }) },
        { title: 'TagCount' },
      ),
    ),
  },
  { title: 'TagList' },
);

const jobParams = Type.Object({ job_id: Type.String() });
const tagParams = Type.Object({
  job_id: Type.String(),
  tag: Type.String({ description: `1 to ${maxTagLength} characters; a job can have ${maxTags} tags.` }),
});

export function tagCalls({ database, readJob }: { database: Database; readJob: ReadJob }) {
  const change = (
    { operationId, summary }: { operationId: string; summary: string },
    params: typeof tagParams | typeof jobParams,
    changeOf: (params: { job_id: string; tag?: string }) => TagChange,
  ): ApiCall =>
    apiCall({
      tag: 'Jobs',
      operationId,
      summary,
      description: `A job can have a star and up to ${maxTags} tags. Doing it again changes nothing.`,
      params,
      status: 200,
      reply: named(tagsSchema),
      errors: ['not_found', 'body_too_large'],
      async handle(request) {
        const { accountId } = request.apiKey;
        const jobId = request.params.job_id.toLowerCase();
        const changed = await changeTags(database, { accountId, jobIds: [jobId] }, changeOf(request.params));
        return presentTags(jobId, changed.get(jobId));
      },
    });
  return {
    list: apiCall({
      tag: 'Jobs',
      operationId: 'listTags',
      summary: 'List the tags of the account',
      description: `With the number of jobs that have each; at most ${groupDigits(maxListed)}.`,
      status: 200,
      reply: tagListSchema,
      errors: [],
      handle: async ({ apiKey }) => ({
        data: await countTags(database.reports, apiKey.accountId, maxListed),
      }),
    }),
    get: apiCall({
      tag: 'Jobs',
      operationId: 'getJobTags',
      summary: 'Read the tags of a job, and whether it has a star',
      description: 'Jobs are found by them: `GET /jobs?tag=spring&starred=true`.',
      params: jobParams,
      status: 200,
      reply: named(tagsSchema),
      errors: ['not_found'],
      async handle({ apiKey, params }) {
        const { id } = await getJob({ readJob }, { accountId: apiKey.accountId, jobId: params.job_id });
        return presentTags(id, (await readTags(database.read, [id])).get(id));
      },
    }),
    add: change({ operationId: 'addTag', summary: 'Put a tag on a job' }, tagParams, ({ tag }) => ({
      add: [readTag(tag ?? '')],
    })),
    remove: change({ operationId: 'removeTag', summary: 'Take a tag off a job' }, tagParams, ({ tag }) => ({
      remove: [readTag(tag ?? '')],
    })),
    star: change({ operationId: 'starJob', summary: 'Give a job a star' }, jobParams, () => ({
      starred: true,
    })),
    unstar: change({ operationId: 'unstarJob', summary: 'Take the star from a job' }, jobParams, () => ({
      starred: false,
    })),
  };
}

export function presentTags(jobId: string, found: Tags | undefined) {
  return { job_id: jobId, tags: found?.tags ?? [], starred: found?.starred ?? false };
}
