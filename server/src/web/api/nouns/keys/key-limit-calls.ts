import { accountCall } from '../../account-call.ts';
import { changeLimitList, type LimitCallDeps, readLimitList } from '../limits/limit-calls.ts';
import { limitChanges, limitList } from '../limits/limit-json.ts';
import { findOwnKey, keyParams, ownerOfKey } from './key-calls.ts';

const tag = 'Keys';

export function keyLimitCalls(deps: LimitCallDeps) {
  const subjectOf = async (accountId: string, keyId: string) => {
    const { id } = await findOwnKey(deps.database.read, accountId, keyId);
    return { kind: 'key', id } as const;
  };
  return {
    list: accountCall({
      tag,
      operationId: 'getKeyLimits',
      summary: 'Read the limits of an API key',
      description: 'With the current use of each.',
      params: keyParams,
      reply: limitList,
      errors: ['not_found'],
      ownerOf: ownerOfKey,
      handle: async ({ accountId, params }) => readLimitList(deps, await subjectOf(accountId, params.key_id)),
    }),

    change: accountCall({
      tag,
      operationId: 'changeKeyLimits',
      summary: 'Change limits of an API key',
      description: 'Omitted limits stay; null removes a limit.',
      params: keyParams,
      body: limitChanges,
      reply: limitList,
      errors: ['not_found'],
      ownerOf: ownerOfKey,
      handle: async ({ accountId, by, params, body }) =>
        changeLimitList(
          deps,
          { accountId, subject: await subjectOf(accountId, params.key_id), limits: body },
          by,
        ),
    }),
  };
}
