import Type, { type Static } from 'typebox';
import { accountOf } from '../../../../accounts/account-of.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readPage, type Slice } from '../../../../base/http/cursor.ts';
import { nullable, oneOf, page, pageQuery, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { listRefusedPrompts, type RefusedPrompt } from '../../../../jobs/admission/refusals/refusal-store.ts';
import { stages } from '../../../../jobs/guardrails/guardrail-settings.ts';
import { installationCall } from '../../installation-call.ts';

const uuid = (description: string) => Type.String({ format: 'uuid', description });

const refusedPromptSchema = Type.Object(
  {
    refusal_id: uuid('The id of the refusal.'),
    at: time('When it was refused.'),
    account_id: uuid('The account that asked.'),
    account_name: Type.String(),
    key_id: uuid('The key of the request.'),
    job_id: nullable(uuid('The job whose image was refused.'), {
      description: 'Null if the prompt itself was refused.',
    }),
    stage: oneOf(stages, { title: 'PolicyStage' }),
    reason: nullable(Type.String(), {
      description: "The reason that the policy's service gives, or the blocked word.",
    }),
    prompt: Type.String(),
  },
  { title: 'RefusedPrompt' },
);

export function refusalCalls({ database }: { database: Database }) {
  return {
    list: installationCall({
      tag: 'System',
      operationId: 'listRefusedPrompts',
      summary: 'List refused prompts, newest first',
      description:
        'Lists refused prompts for as long as `policy.keepPromptsDays` keeps them. The audit log has every refusal, without its prompt.',
      query: pageQuery({
        account: Type.Optional(
          Type.String({ maxLength: 100, description: 'Only refusals of this account.' }),
        ),
      }),
      reply: page('RefusedPromptList', refusedPromptSchema),
      errors: ['not_found'],
      async handle({ query: { account, ...query } }) {
        const accountId = account === undefined ? undefined : (await accountOf(database.read, account)).id;
        const read = (slice: Slice) => listRefusedPrompts(database.read, { accountId, ...slice });
        return readPage(query, read, presentRefusedPrompt);
      },
    }),
  };
}

function presentRefusedPrompt(refused: RefusedPrompt): Static<typeof refusedPromptSchema> {
  return {
    refusal_id: refused.id,
    at: toIso(refused.at),
    account_id: refused.accountId,
    account_name: refused.accountName,
    key_id: refused.keyId,
    job_id: refused.jobId,
    stage: refused.stage,
    reason: refused.reason,
    prompt: refused.prompt,
  };
}
