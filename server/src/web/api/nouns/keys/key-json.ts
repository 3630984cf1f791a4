import Type, { type Static } from 'typebox';
import type { ApiKey } from '../../../../accounts/key-store.ts';
import { amount, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import type { JobCount } from '../../../../jobs/activity-store.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';

const id = Type.String({ format: 'uuid' });

export const keySchema = Type.Object(
  {
    key_id: id,
    account_id: id,
    name: Type.String(),
    hint: Type.String({ description: 'Enough of the key to recognise it.', examples: ['dk_Ab12…9xYz'] }),
    models: nullable(Type.Array(Type.String()), { description: 'Null: every model.' }),
    networks: nullable(Type.Array(Type.String()), {
      description: 'The only addresses and CIDR blocks from which the key may be used. Null: everywhere.',
    }),
    status: oneOf(['active', 'expiring', 'expired', 'disabled'], {
      title: 'KeyStatus',
      description: '`expiring`: it works, and ends within a week.',
    }),
    created_at: time('When it was made.'),
    expires_at: nullable(time('When it stops working.')),
    disabled_at: nullable(time('When it was disabled.')),
    last_used_at: nullable(time('The time of its last use, to the minute.')),
    last_used_address: nullable(Type.String(), { description: "The client's address at that time." }),
    spent_30d: amount('The price of its done jobs of the last 30 days.'),
    jobs_30d: Type.Integer({ description: 'The number of its jobs of the last 30 days.' }),
  },
  { $id: 'ApiKey' },
);
export type KeyJson = Static<typeof keySchema>;

export const newKeySchema = Type.Object(
  { ...keySchema.properties, key: Type.String({ description: 'The whole key, shown only once.' }) },
  { $id: 'NewApiKey' },
);

const soonMs = 7 * 24 * 60 * 60 * 1000;

/** @param spent the key's jobs in the last 30 days, if there are any */
export function presentKey(key: ApiKey, nowMs: number, spent: JobCount | undefined): KeyJson {
  return {
    key_id: key.id,
    account_id: key.accountId,
    name: key.name,
    hint: key.hint,
    models: key.models,
    networks: key.networks && [...key.networks],
    status: statusOf(key, nowMs),
    created_at: toIso(key.createdAt),
    expires_at: toIsoOrNull(key.expiresAt),
    disabled_at: toIsoOrNull(key.disabledAt),
    last_used_at: toIsoOrNull(key.lastUsedAt),
    last_used_address: key.lastUsedAddress,
    spent_30d: formatMicros(spent?.spentMicros ?? 0n),
    jobs_30d: spent?.jobs ?? 0,
  };
}

function statusOf({ disabledAt, expiresAt }: ApiKey, nowMs: number): KeyJson['status'] {
  if (disabledAt !== null) return 'disabled';
  if (expiresAt === null) return 'active';
  if (expiresAt <= nowMs) return 'expired';
  return expiresAt - nowMs <= soonMs ? 'expiring' : 'active';
}
