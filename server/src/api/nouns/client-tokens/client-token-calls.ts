import Type from 'typebox';
import { createClientToken } from '../../../accounts/client-tokens/create-client-token.ts';
import { assertKnownModel, type Catalogue } from '../../../catalog/catalogue.ts';
import type { Database } from '../../../db/database.ts';
import { invalidField } from '../../../errors.ts';
import { amount, closed, named, nullable, time } from '../../../http/schemas.ts';
import { formatMicros, parseMicros } from '../../../ledger/money.ts';
import type { Clock } from '../../../std/clock.ts';
import { toIso } from '../../../std/iso-time.ts';
import { isPageOrigin } from '../../../std/origin-of.ts';
import { apiCall } from '../../api-call.ts';

const defaultSeconds = 10 * 60;
const maxSeconds = 60 * 60;
/** As many as a list of models is read by people. */
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
        description: 'Those that it may use, of those that the key may use; all of them when left out.',
      }),
    ),
    spend_cap: Type.Optional(
      Type.String({
        maxLength: 20,
        description:
          'What its jobs may cost together, a decimal amount. Jobs that failed do not count. Without it the balance is the limit.',
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

export const clientTokenSchema = Type.Object(
  {
    token: Type.String({ description: 'Shown once. Goes where an API key would go.' }),
    token_id: Type.String({ format: 'uuid' }),
    expires_at: time('When it stops working; sooner when its key does.'),
    models: nullable(Type.Array(Type.String()), { description: 'Null: every model.' }),
    spend_cap: nullable(amount('What its jobs may cost together.')),
    origin: nullable(Type.String()),
  },
  { $id: 'ClientToken' },
);

export function clientTokenCall(deps: { database: Database; clock: Clock; catalogue: Catalogue }) {
  return apiCall({
    tag: 'Account',
    operationId: 'createClientToken',
    summary: 'Make a client token',
    description:
      'For a browser, which must not hold an API key. It creates jobs, reads the jobs that it created and uploads images, and does nothing else. It ends with its key.',
    body: request,
    status: 201,
    reply: named(clientTokenSchema),
    idempotency: 'kept',
    errors: ['model_forbidden', 'unsupported_media_type', 'body_too_large'],
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
      return {
        token: made.token,
        token_id: made.id,
        expires_at: toIso(made.expiresAt),
        models: made.models,
        spend_cap: cap === null ? null : formatMicros(cap),
        origin: made.origin,
      };
    },
  });
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
