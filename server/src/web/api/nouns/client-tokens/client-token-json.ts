import Type, { type Static } from 'typebox';
import type { IssuedToken } from '../../../../accounts/client-tokens/client-token-store.ts';
import { amount, nullable, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';

export const clientTokenSchema = Type.Object(
  {
    token_id: Type.String({ format: 'uuid' }),
    key_id: Type.String({
      format: 'uuid',
      description: 'The key that created the token, with which it ends.',
    }),
    created_at: time('When it was made.'),
    expires_at: time('When it stops working, unless its key does sooner.'),
    models: nullable(Type.Array(Type.String()), { description: 'Null: every model.' }),
    spend_cap: nullable(amount('The most that its jobs may cost together.')),
    origin: nullable(Type.String()),
  },
  { $id: 'ClientToken' },
);

export const newClientTokenSchema = Type.Object(
  {
    ...clientTokenSchema.properties,
    token: Type.String({ description: 'Shown once. Send it in place of an API key.' }),
  },
  { $id: 'ClientTokenCreated' },
);

export function presentClientToken(token: IssuedToken): Static<typeof clientTokenSchema> {
  return {
    token_id: token.id,
    key_id: token.keyId,
    created_at: toIso(token.createdAt),
    expires_at: toIso(token.expiresAt),
    models: token.models,
    spend_cap: token.spendCapMicros === null ? null : formatMicros(token.spendCapMicros),
    origin: token.origin,
  };
}
