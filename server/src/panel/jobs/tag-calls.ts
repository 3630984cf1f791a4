import Type from 'typebox';
import { presentTags } from '../../api/nouns/jobs/tag-calls.ts';
import { closed } from '../../http/schemas.ts';
import { changeTags, maxTags, readTag } from '../../jobs/tags/change-tags.ts';
import { countTags } from '../../jobs/tags/tag-store.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

const maxListed = 1_000;
// A page of jobs.
const maxJobs = 100;

const text = Type.String({ minLength: 1, maxLength: 300 });
const tags = Type.Optional(Type.Array(text, { maxItems: maxTags }));

/** Tags and stars, of many jobs at once. */
export function tagCalls({ database }: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/tags', {
      handle: async ({ params }) => ({
        data: await countTags(database.reports, params.account_id, maxListed),
      }),
    }),

    panelCall('POST /panel/accounts/:account_id/jobs/tags', {
      body: closed({
        job_ids: Type.Array(text, { minItems: 1, maxItems: maxJobs }),
        add: tags,
        remove: tags,
        starred: Type.Optional(Type.Boolean()),
      }),
      async handle({ params, body }) {
        const of = { accountId: params.account_id, jobIds: body.job_ids };
        const changed = await changeTags(database, of, {
          add: body.add?.map(readTag) ?? [],
          remove: body.remove?.map(readTag) ?? [],
          starred: body.starred,
        });
        return { data: [...changed].map(([jobId, found]) => presentTags(jobId, found)) };
      },
    }),
  ];
}
