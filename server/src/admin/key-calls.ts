import Type from 'typebox';
import { keySchema } from '../api/nouns/keys/key-json.ts';
import { closed, named, page } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import { listFields, pageOf } from './schemas.ts';

const tag = 'Keys';

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
  };
}
