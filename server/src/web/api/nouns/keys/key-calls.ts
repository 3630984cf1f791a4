import Type from 'typebox';
import { accountOf } from '../../../../accounts/account-of.ts';
import { createKey } from '../../../../accounts/create-key.ts';
import { disableKey } from '../../../../accounts/disable-key.ts';
import { type ApiKey, findKey, listKeyPage } from '../../../../accounts/key-store.ts';
import { changeNetworks } from '../../../../accounts/keys/change-networks.ts';
import { maxNameLength } from '../../../../accounts/name.ts';
import { rollKey } from '../../../../accounts/roll-key.ts';
import type { Database } from '../../../../base/db/database.ts';
import type { Queries } from '../../../../base/db/schema.ts';
import { readCursor, sizeOf, toPage, writeCursor } from '../../../../base/http/cursor.ts';
import { closed, named, page, pageQuery } from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { isUuid } from '../../../../base/std/ids.ts';
import { AppError } from '../../../../errors.ts';
import { sumByKey } from '../../../../jobs/activity-store.ts';
import { changeLimits } from '../../../../money/limits/change-limits.ts';
import type { LimitDefaults } from '../../../../money/limits/limit.ts';
import { readLimitChanges } from '../../../../money/limits/read-limit-changes.ts';
import { assertKnownModel, readCatalogue } from '../../../../upstream/catalog/catalogue.ts';
import { accountCall } from '../../account-call.ts';
import { installationCall } from '../../installation-call.ts';
import { limitChanges } from '../limits/limit-json.ts';
import { type KeyJson, keySchema, newKeySchema, presentKey } from './key-json.ts';
import { keyModels, keyNetworks } from './key-schemas.ts';

export interface KeyCallDeps {
  database: Database;
  clock: Clock;
  limitDefaults: LimitDefaults;
}

const tag = 'Keys';
export const keyParams = Type.Object({ key_id: Type.String() });
export const keyListQuery = pageQuery({});
const maxExpirySeconds = 10 * 366 * 24 * 60 * 60;
const maxOverlapSeconds = 7 * 24 * 60 * 60;
const changed = ['not_found'] as const;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function keyCalls(deps: KeyCallDeps) {
  const { database } = deps;
  const read = async (accountId: string, keyId: string) => {
    const key = await findOwnKey(database.read, accountId, keyId);
    const [presented] = await presentKeys(deps, [key]);
    return presented as KeyJson; // one for each key
  };
  return {
    list: accountCall({
      tag,
      operationId: 'listAccountKeys',
      summary: 'List the API keys of an account, newest first',
      query: keyListQuery,
      reply: page('AccountKeyList', named(keySchema)),
      handle: ({ accountId, query }) => listKeys(deps, accountId, query),
    }),

    get: accountCall({
      tag,
      operationId: 'getKey',
      summary: 'Read an API key',
      params: keyParams,
      reply: named(keySchema),
      errors: ['not_found'],
      ownerOf: ownerOfKey,
      handle: ({ accountId, params }) => read(accountId, params.key_id),
    }),

    create: accountCall({
      tag,
      operationId: 'createKey',
      summary: 'Make an API key',
      description: 'Only this answer contains the key.',
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
      reply: named(newKeySchema),
      idempotency: 'kept',
      makes: '/keys/:key_id',
      errors: changed,
      async handle({ accountId, by, body: { expires_in: expiresIn, limits = {}, ...request } }) {
        const catalogue = await readCatalogue(database.read);
        for (const model of request.models ?? []) assertKnownModel(catalogue, model, '/models');
        const made = await createKey(
          deps,
          {
            ...request,
            account: accountId,
            limits: readLimitChanges(limits, '/limits'),
            ...(expiresIn !== undefined && { expiresInMs: expiresIn * 1000 }),
          },
          by,
        );
        return { ...(await read(accountId, made.keyId)), key: made.key };
      },
    }),

    change: accountCall({
      tag,
      operationId: 'changeKey',
      summary: 'Change the networks and limits of an API key',
      description: 'Omitted fields keep their values; null removes a limit.',
      params: keyParams,
      body: closed(
        { networks: Type.Optional(keyNetworks({ minItems: 1 })), limits: Type.Optional(limitChanges) },
        { title: 'KeyChange' },
      ),
      reply: named(keySchema),
      errors: changed,
      ownerOf: ownerOfKey,
      async handle({ accountId, by, params, body: { networks, limits = {} } }) {
        const changes = readLimitChanges(limits, '/limits');
        await database.transaction(async (tx) => {
          const { id } = await findOwnKey(tx, accountId, params.key_id);
          const subject = { kind: 'key', id } as const;
          if (Object.keys(changes).length > 0)
            await changeLimits(tx, { accountId, subject, changes, defaults: deps.limitDefaults }, by);
          if (networks !== undefined) await changeNetworks(tx, { accountId, keyId: id, networks }, by);
        });
        return read(accountId, params.key_id);
      },
    }),

    disable: accountCall({
      tag,
      operationId: 'disableKey',
      summary: 'Disable an API key',
      description: 'Disables it permanently. Its jobs continue.',
      params: keyParams,
      reply: named(keySchema),
      errors: ['not_found', 'body_too_large'],
      ownerOf: ownerOfKey,
      async handle({ accountId, by, params }) {
        const { id } = await findOwnKey(database.read, accountId, params.key_id);
        await disableKey(deps, { keyId: id }, by);
        return read(accountId, id);
      },
    }),

    roll: accountCall({
      tag,
      operationId: 'rollKey',
      summary: 'Replace an API key',
      description:
        'Replaces it with a key that has the same name, models, networks, expiry and limits. Only this answer contains the key. A key can be replaced once: if you lost the answer, replace the new key.',
      params: keyParams,
      body: closed(
        {
          overlap: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: maxOverlapSeconds,
              description: 'The seconds for which the old key still works; 0 by default.',
            }),
          ),
        },
        { title: 'KeyRoll' },
      ),
      status: 201,
      reply: named(newKeySchema),
      idempotency: 'kept',
      makes: '/keys/:key_id',
      errors: changed,
      ownerOf: ownerOfKey,
      async handle({ accountId, by, params, body: { overlap = 0 } }) {
        const { id: keyId } = await findOwnKey(database.read, accountId, params.key_id);
        const made = await rollKey(deps, { accountId, keyId, overlapMs: overlap * 1000 }, by);
        return { ...(await read(accountId, made.keyId)), key: made.key };
      },
    }),
  };
}

export function allKeysCall(deps: KeyCallDeps) {
  return installationCall({
    tag,
    operationId: 'listKeys',
    summary: 'List the API keys, newest first',
    query: closed({
      account: Type.Optional(Type.String({ maxLength: 100, description: 'Only keys of this account.' })),
      ...keyListQuery.properties,
    }),
    reply: page('KeyList', named(keySchema)),
    errors: ['not_found'],
    async handle({ query: { account, ...query } }) {
      const accountId = account && (await accountOf(deps.database.read, account)).id;
      return listKeys(deps, accountId, query);
    },
  });
}

export async function listKeys(
  deps: KeyCallDeps,
  accountId: string | undefined,
  { cursor, limit }: { cursor?: string; limit?: string },
): Promise<{ data: KeyJson[]; next_cursor: string | null }> {
  const size = sizeOf(limit);
  const [before] = readCursor(cursor, ['id']) ?? [];
  const keys = await listKeyPage(deps.database.read, { accountId, before, limit: size + 1 });
  return toPage(await presentKeys(deps, keys), size, (last) => writeCursor([last.key_id]));
}

const hourMs = 60 * 60 * 1000;
const spendMs = 30 * 24 * hourMs;

async function presentKeys(
  { database, clock }: Pick<KeyCallDeps, 'database' | 'clock'>,
  keys: readonly ApiKey[],
): Promise<KeyJson[]> {
  const nowMs = clock.nowMs();
  const period = { fromMs: nowMs - spendMs, toMs: nowMs + hourMs };
  const accounts = [...new Set(keys.map(({ accountId }) => accountId))];
  const sums = await Promise.all(
    accounts.map((accountId) => sumByKey(database.reports, { ...period, accountId })),
  );
  const spent = new Map(sums.flatMap((ofAccount) => [...ofAccount]));
  return keys.map((key) => presentKey(key, nowMs, spent.get(key.id)));
}

/** Another account's key counts as missing. @throws AppError `not_found` */
export async function findOwnKey(queries: Queries, accountId: string, keyId: string): Promise<ApiKey> {
  const key = isUuid(keyId) ? await findKey(queries, keyId) : undefined;
  if (key?.accountId !== accountId) throw noSuchKey(keyId);
  return key;
}

export async function ownerOfKey(queries: Queries, { key_id: keyId }: { key_id: string }): Promise<string> {
  const key = isUuid(keyId) ? await findKey(queries, keyId) : undefined;
  if (!key) throw noSuchKey(keyId);
  return key.accountId;
}

function noSuchKey(keyId: string): AppError {
  return new AppError('not_found', `There is no key "${keyId}".`);
}
