import Type from 'typebox';
import { maxNameLength } from '../accounts/name.ts';
import { idempotencyKey } from '../http/request-headers.ts';
import { closed, named, page } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import {
  accountParams,
  accountSchema,
  amountGiven,
  idempotencyHeader,
  listFields,
  pageOf,
} from './schemas.ts';

const tag = 'Accounts';

/** Accounts and what they may use. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function accountCalls() {
  return {
    list: adminCall({
      tag,
      operationId: 'listAccounts',
      summary: 'List the accounts, newest first',
      query: closed({
        search: Type.Optional(Type.String({ maxLength: 100, description: 'A part of the name, or an id.' })),
        ...listFields,
      }),
      status: 200,
      reply: page('AccountList', named(accountSchema)),
      errors: [],
      handle: ({ verbs, query }) => verbs.listAccounts(pageOf(query)),
    }),

    create: adminCall({
      tag,
      operationId: 'createAccount',
      summary: 'Make an account',
      description:
        'Names are unique. With an `Idempotency-Key` the same request again returns the account that the first one made. A first credit needs the scope `money` as well.',
      headers: idempotencyHeader('One for each account.'),
      body: closed(
        {
          name: Type.String({ minLength: 1, maxLength: maxNameLength, examples: ['acme'] }),
          credit: Type.Optional(amountGiven('The first credit.')),
          webhook: Type.Optional(Type.String({ maxLength: 2_000, description: 'Where its events go.' })),
        },
        { title: 'NewAccount' },
      ),
      status: 201,
      idempotency: 'handled',
      makes: '/accounts/:account_id',
      reply: named(accountSchema),
      errors: ['idempotency_key_reused', 'unsupported_media_type', 'body_too_large'],
      handle({ verbs, body, assertScope, raw }) {
        if (body.credit !== undefined) assertScope('money');
        return verbs.createAccount({ ...body, idempotencyKey: idempotencyKey(raw) });
      },
    }),

    get: adminCall({
      tag,
      operationId: 'getAccount',
      summary: 'Read an account',
      params: accountParams,
      status: 200,
      reply: named(accountSchema),
      errors: ['not_found'],
      handle: ({ verbs, params }) => verbs.getAccount(params.account),
    }),

    disable: adminCall({
      tag,
      operationId: 'disableAccount',
      summary: 'Disable an account',
      description: 'Its keys are refused and its members only read. Jobs under way finish and are settled.',
      params: accountParams,
      body: closed(
        { reason: Type.String({ minLength: 1, maxLength: 500, description: 'Its members read it.' }) },
        { title: 'Disabling' },
      ),
      status: 200,
      reply: named(accountSchema),
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.disableAccount(params.account, body),
    }),

    enable: adminCall({
      tag,
      operationId: 'enableAccount',
      summary: 'Enable an account again',
      params: accountParams,
      status: 200,
      reply: named(accountSchema),
      errors: ['not_found', 'body_too_large'],
      handle: ({ verbs, params }) => verbs.enableAccount(params.account),
    }),
  };
}
