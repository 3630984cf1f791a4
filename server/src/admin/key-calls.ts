import Type from 'typebox';
import { keySchema } from '../api/nouns/keys/key-json.ts';
import { limitChanges } from '../api/nouns/keys/limit-schemas.ts';
import { closed, named, page } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import { limitList, list, listFields, pageOf } from './schemas.ts';

const tag = 'Keys';
const keyParams = Type.Object({ key_id: Type.String() });

/** The API keys of all accounts; those of one are calls of it. */
export function keyCalls() {
  return {
    list: adminCall({
      tag,
      operationId: 'listKeys',
      summary: 'List the API keys, newest first',
      query: closed({
        account: Type.Optional(Type.String({ maxLength: 100, description: 'Only those of this account.' })),
        ...listFields,
      }),
      status: 200,
      reply: page('KeyList', named(keySchema)),
      errors: ['not_found'],
      handle: ({ verbs, query }) => verbs.listKeys(pageOf(query)),
    }),

    limits: adminCall({
      tag,
      operationId: 'getKeyLimits',
      summary: 'Read the limits of an API key',
      description: 'And what is used of them.',
      params: keyParams,
      status: 200,
      reply: limitList,
      errors: ['not_found'],
      handle: ({ verbs, params }) => list(verbs.keyLimits(params.key_id)),
    }),

    changeLimits: adminCall({
      tag,
      operationId: 'changeKeyLimits',
      summary: 'Change limits of an API key',
      description: 'Those that are not named stay; null removes one.',
      params: keyParams,
      body: limitChanges,
      status: 200,
      reply: limitList,
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => list(verbs.changeKeyLimits(params.key_id, body)),
    }),
  };
}
