import Type from 'typebox';
import { maxNameLength } from '../accounts/name.ts';
import { keyModels, keyNetworks } from '../api/nouns/keys/key-schemas.ts';
import { limitChanges } from '../api/nouns/keys/limit-schemas.ts';
import { closed, named, page } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import { accountParams, keySchema, limitList, list, listFields, newKeySchema, pageOf } from './schemas.ts';

const tag = 'Keys';
const keyParams = Type.Object({ key_id: Type.String() });
const maxExpirySeconds = 10 * 366 * 24 * 60 * 60;
const maxOverlapSeconds = 7 * 24 * 60 * 60;

/** The API keys of all accounts. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function keyCalls() {
  return {
    create: adminCall({
      tag,
      operationId: 'createKey',
      summary: 'Make an API key',
      description: 'The answer is the only one with the key.',
      params: accountParams,
      body: closed(
        {
          name: Type.Optional(Type.String({ minLength: 1, maxLength: maxNameLength })),
          models: Type.Optional(keyModels()),
          expires_in: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: maxExpirySeconds,
              description: 'Seconds; never when left out.',
            }),
          ),
          limits: Type.Optional(limitChanges),
          networks: Type.Optional(keyNetworks()),
        },
        { title: 'NewKey' },
      ),
      status: 201,
      reply: newKeySchema,
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.createKey(params.account, body),
    }),

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

    change: adminCall({
      tag,
      operationId: 'changeKey',
      summary: 'Change from where an API key may be used',
      params: keyParams,
      body: closed(
        {
          networks: keyNetworks({ minItems: 1 }),
        },
        { title: 'KeyChange' },
      ),
      status: 200,
      reply: named(keySchema),
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.changeKey(params.key_id, body),
    }),

    disable: adminCall({
      tag,
      operationId: 'disableKey',
      summary: 'Disable an API key',
      description: 'For good. Its jobs go on.',
      params: keyParams,
      status: 200,
      reply: named(keySchema),
      errors: ['not_found', 'body_too_large'],
      handle: ({ verbs, params }) => verbs.disableKey(params.key_id),
    }),

    roll: adminCall({
      tag,
      operationId: 'rollKey',
      summary: 'Replace an API key',
      description:
        'By one with its name, models, networks, expiry and limits. The answer is the only one with the key.',
      params: keyParams,
      body: closed(
        {
          overlap: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: maxOverlapSeconds,
              description: 'For so many seconds the old one still works; 0 when left out.',
            }),
          ),
        },
        { title: 'KeyRoll' },
      ),
      status: 201,
      reply: newKeySchema,
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.rollKey(params.key_id, body),
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
