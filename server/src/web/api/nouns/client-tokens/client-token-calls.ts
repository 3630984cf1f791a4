import Type from 'typebox';
import { listTokens } from '../../../../accounts/client-tokens/client-token-store.ts';
import { createClientToken } from '../../../../accounts/client-tokens/create-client-token.ts';
import { noSuchToken, revokeClientToken } from '../../../../accounts/client-tokens/revoke-client-token.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readPage, type Slice } from '../../../../base/http/cursor.ts';
import { closed, named, page, pageQuery } from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { isUuid } from '../../../../base/std/ids.ts';
import { isPageOrigin } from '../../../../base/std/origin-of.ts';
import { invalidField } from '../../../../errors.ts';
import { parseMicros } from '../../../../money/ledger/money.ts';
import { assertKnownModel, type Catalogue } from '../../../../upstream/catalog/catalogue.ts';
import { accountCall } from '../../account-call.ts';
import { type ApiCall, apiCall } from '../../api-call.ts';
import { clientTokenSchema, newClientTokenSchema, presentClientToken } from './client-token-json.ts';

const tag = 'Account';
const tokenParams = Type.Object({ token_id: Type.String() });
const defaultSeconds = 10 * 60;
const maxSeconds = 60 * 60;
/** The maximum number of models, because a longer list is not readable. */
const maxModels = 100;
const maxOriginLength = 300;

const request = closed(
  {
    expires_in: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxSeconds, default: defaultSeconds, description: 'Seconds.' }),
    ),
    models: Type.Optional(
      Type.Array(Type.String({ maxLength: 40 }), {
        minItems: 1,
        maxItems: maxModels,
        description: 'The models that it may use, among those of the key; by default all of them.',
      }),
    ),
    spend_cap: Type.Optional(
      Type.String({
        maxLength: 20,
        description:
          'The most that its jobs may cost together, a decimal amount. Failed jobs do not count. Without it, the balance is the limit.',
        examples: ['0.50'],
      }),
    ),
    origin: Type.Optional(
      Type.String({
        maxLength: maxOriginLength,
        description: 'The only origin whose pages may use it.',
        examples: ['https://app.example.com'],
      }),
    ),
  },
  { title: 'NewClientToken' },
);

interface TokenDeps {
  database: Database;
  clock: Clock;
}

export function createTokenCall(deps: TokenDeps & { catalogue: Catalogue }): ApiCall {
  return apiCall({
    tag,
    operationId: 'createClientToken',
    summary: 'Make a client token',
    description:
      'Creates a token for a browser, which must not have an API key. The token can only create jobs, read the jobs that it created, and upload images. It ends with its key.',
    body: request,
    status: 201,
    reply: named(newClientTokenSchema),
    idempotency: 'kept',
    makes: '/client-tokens/:token_id',
    errors: ['model_forbidden'],
    async handle({ apiKey, body }, reply) {
      for (const [index, model] of (body.models ?? []).entries())
        assertKnownModel(deps.catalogue, model, `/models/${index}`);
      if (body.origin !== undefined && !isPageOrigin(body.origin))
        throw invalidField('/origin', 'must be an origin such as https://app.example.com, without a path.');
      const cap = readCap(body.spend_cap);
      const made = await createClientToken(deps, apiKey, {
        expiresInMs: (body.expires_in ?? defaultSeconds) * 1000,
        models: body.models ?? null,
        spendCapMicros: cap,
        origin: body.origin ?? null,
      });
      reply.code(201);
      return { ...presentClientToken(made), token: made.token };
    },
  });
}

export function clientTokenCalls({ database }: { database: Database }) {
  return {
    list: accountCall({
      tag,
      operationId: 'listClientTokens',
      summary: 'List client tokens, newest first',
      description: 'Lists tokens that have neither expired nor been revoked.',
      query: pageQuery({}),
      reply: page('ClientTokenList', named(clientTokenSchema)),
      handle({ accountId, query }) {
        const read = (slice: Slice) => listTokens(database.read, { accountId, ...slice });
        return readPage(query, read, presentClientToken);
      },
    }),

    get: accountCall({
      tag,
      operationId: 'getClientToken',
      summary: 'Read a client token',
      description: 'Reads its rights and expiry, but not the token itself.',
      params: tokenParams,
      reply: named(clientTokenSchema),
      errors: ['not_found'],
      async handle({ accountId, params: { token_id: id } }) {
        const asked = { accountId, id, limit: 1 };
        const [token] = isUuid(id) ? await listTokens(database.read, asked) : [];
        if (!token) throw noSuchToken();
        return presentClientToken(token);
      },
    }),

    revoke: accountCall({
      tag,
      operationId: 'revokeClientToken',
      summary: 'End a client token',
      description: 'Ends it within a second, like a key. Its jobs continue.',
      params: tokenParams,
      status: 204,
      reply: Type.Null({ description: 'It has ended.' }),
      errors: ['not_found'],
      async handle({ accountId, isKey, by, params: { token_id: id } }) {
        await revokeClientToken(database, { accountId, id }, isKey ? undefined : by);
        return null;
      },
    }),
  };
}

function readCap(text: string | undefined): bigint | null {
  if (text === undefined) return null;
  const micros = parseMicros(text);
  if (micros === undefined || micros === 0n)
    throw invalidField(
      '/spend_cap',
      'must be a decimal amount above zero such as 0.50, with at most 6 places.',
    );
  return micros;
}
