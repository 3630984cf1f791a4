import Type from 'typebox';
import { closed, nullable, oneOf } from '../http/schemas.ts';
import { leastDays, longestDays, parts } from '../retention/retention.ts';
import { adminCall } from './admin-call.ts';
import { accountParams, list, listOf } from './schemas.ts';

const tag = 'Accounts';

const retentionList = listOf(
  'RetentionList',
  Type.Object(
    {
      part: oneOf(parts, { title: 'RetentionPart' }),
      days: nullable(Type.Integer(), { description: 'Counted from the end of a job. Null: for good.' }),
      own: Type.Boolean({ description: 'It is set for the account, and not for the installation.' }),
    },
    { title: 'Retention' },
  ),
);

const retentionChanges = closed(
  Object.fromEntries(
    parts.map((part) => [
      part,
      Type.Optional(nullable(Type.Integer({ minimum: leastDays(part), maximum: longestDays }))),
    ]),
  ),
  { title: 'RetentionChanges', description: 'Days; null for those of the installation.' },
);

/** For how long accounts keep what they have. */
export function retentionCalls() {
  return {
    list: adminCall({
      tag,
      operationId: 'getRetention',
      summary: 'Read for how long an account keeps what it has',
      params: accountParams,
      status: 200,
      reply: retentionList,
      errors: ['not_found'],
      handle: ({ verbs, params }) => list(verbs.listRetention(params.account)),
    }),

    change: adminCall({
      tag,
      operationId: 'changeRetention',
      summary: 'Change for how long an account keeps what it has',
      description:
        'Those that are not named stay. No part of a job is kept for longer than the job, and no prompt or input for longer than the picture.',
      params: accountParams,
      body: retentionChanges,
      status: 200,
      reply: retentionList,
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => list(verbs.changeRetention(params.account, body)),
    }),
  };
}
