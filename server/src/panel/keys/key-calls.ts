import Type from 'typebox';
import { createKey } from '../../accounts/create-key.ts';
import { disableKey } from '../../accounts/disable-key.ts';
import { type ApiKey, listKeys } from '../../accounts/key-store.ts';
import { maxNameLength } from '../../accounts/name.ts';
import { rollKey } from '../../accounts/roll-key.ts';
import { keyModels, keyNetworks } from '../../api/nouns/keys/key-schemas.ts';
import { limitChanges } from '../../api/nouns/keys/limit-schemas.ts';
import { assertKnownModel } from '../../catalog/catalogue.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import { closed, oneOf } from '../../http/schemas.ts';
import { type JobCount, sumByKey } from '../../jobs/activity-store.ts';
import { formatMicros } from '../../ledger/money.ts';
import { readLimitChanges } from '../../limits/read-limit-changes.ts';
import { toIso, toIsoOrNull } from '../../std/iso-time.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { Key } from './contract.ts';
import { findOwnKey } from './find-own-key.ts';

const hour = 60 * 60 * 1000;
const overlaps = { now: 0, '1h': hour, '24h': 24 * hour, '7d': 7 * 24 * hour } as const;
const spendMs = 30 * 24 * hour;
const periodOf = (accountId: string, nowMs: number) => ({
  accountId,
  fromMs: nowMs - spendMs,
  toMs: nowMs + hour,
});

/** The API keys of an account. */
export function keyCalls(deps: PanelDeps): PanelCall[] {
  const { database, clock } = deps;
  return [
    panelCall('GET /panel/accounts/:account_id/keys', {
      async handle({ params }) {
        const keys = await listKeys(database.read, params.account_id);
        const spent = await sumByKey(database.reports, periodOf(params.account_id, clock.nowMs()));
        return { data: keys.map((key) => presentKey(key, clock.nowMs(), spent.get(key.id))) };
      },
    }),

    panelCall('GET /panel/accounts/:account_id/keys/:key_id', {
      handle: ({ params }) => readKey(database, params.account_id, params.key_id, clock.nowMs()),
    }),

    panelCall('POST /panel/accounts/:account_id/keys', {
      body: closed({
        name: Type.String({ minLength: 1, maxLength: maxNameLength }),
        models: keyModels(),
        expires_at: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
        limits: Type.Optional(limitChanges),
        networks: Type.Optional(keyNetworks()),
      }),
      async handle({ params, body, viewer }) {
        for (const model of body.models ?? []) assertKnownModel(deps.catalogue, model, '/models');
        const expiresInMs = readExpiry(body.expires_at, clock.nowMs());
        const made = await createKey(
          deps,
          {
            account: params.account_id,
            name: body.name,
            models: body.models,
            ...(expiresInMs !== undefined && { expiresInMs }),
            limits: readLimitChanges(body.limits ?? {}, '/limits'),
            networks: body.networks ?? null,
          },
          viewer,
        );
        return {
          secret: made.key,
          key: await readKey(database, params.account_id, made.keyId, clock.nowMs()),
        };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/keys/:key_id/disable', {
      async handle({ params, viewer }) {
        const key = await findOwnKey(database.read, params);
        await disableKey(deps, { keyId: key.id }, viewer);
        return readKey(database, params.account_id, key.id, clock.nowMs());
      },
    }),

    panelCall('POST /panel/accounts/:account_id/keys/:key_id/roll', {
      body: closed({ overlap: oneOf(['now', '1h', '24h', '7d']) }),
      async handle({ params, body, viewer }) {
        const { account_id: accountId } = params;
        const { id: keyId } = await findOwnKey(database.read, params);
        const made = await rollKey(deps, { accountId, keyId, overlapMs: overlaps[body.overlap] }, viewer);
        return { secret: made.key, key: await readKey(database, accountId, made.keyId, clock.nowMs()) };
      },
    }),
  ];
}

async function readKey(database: Database, accountId: string, keyId: string, nowMs: number): Promise<Key> {
  const key = await findOwnKey(database.read, { account_id: accountId, key_id: keyId });
  const spent = await sumByKey(database.reports, periodOf(accountId, nowMs));
  return presentKey(key, nowMs, spent.get(key.id));
}

function readExpiry(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  const at = Date.parse(text);
  if (Number.isFinite(at) && at > nowMs) return at - nowMs;
  const detail = 'must be a time in the future, such as 2027-01-01T00:00:00Z.';
  throw new AppError('invalid_request', `expires_at ${detail}`, {
    errors: [{ pointer: '/expires_at', detail }],
  });
}

function presentKey(key: ApiKey, nowMs: number, spent: JobCount | undefined): Key {
  return {
    key_id: key.id,
    name: key.name,
    hint: key.hint,
    models: key.models,
    networks: key.networks,
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

const soonMs = 7 * 24 * hour;

function statusOf({ disabledAt, expiresAt }: ApiKey, nowMs: number): Key['status'] {
  if (disabledAt !== null) return 'disabled';
  if (expiresAt === null) return 'active';
  if (expiresAt <= nowMs) return 'expired';
  return expiresAt - nowMs <= soonMs ? 'expiring' : 'active';
}
