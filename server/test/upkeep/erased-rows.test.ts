import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { newId } from '../../src/base/std/ids.ts';
import { createAlbum } from '../../src/jobs/albums/change-album.ts';
import { shareImages } from '../../src/jobs/shares/share-images.ts';
import { eraseAccount } from '../../src/jobs/upkeep/erase-account.ts';
import { writeWords } from '../../src/jobs/upkeep/write-words.ts';
import { openOwnAccount } from '../jobs/support/own-account.ts';
import { openMember, openOperator } from '../panel/browser.ts';
import { openWorld, type World } from '../world/world.ts';

// Tables that keep rows: the ledger, under a pseudonym; costs of attempts, for vendors' bills; and tables
// that have only the account's id.
const staying = [
  ...['activity', 'activity_progress', 'api_keys', 'attempt_costs', 'audit_log', 'entries'],
  ...['margin_progress', 'margins', 'word_progress'],
];

async function tablesOf({ app }: World, owned: Record<string, readonly string[]>): Promise<string[]> {
  const { read } = app.database;
  const names: string[] = [];
  for (const { name: table, columns } of await read.introspection.getTables())
    for (const [column, ids] of Object.entries(owned)) {
      if (!columns.some(({ name }) => name === column)) continue;
      const { rows } = await sql`select 1 from ${sql.table(table)}
        where cast(${sql.ref(column)} as text) in (${sql.join(ids)}) limit 1`.execute(read);
      if (rows.length > 0) names.push(table);
    }
  return [...new Set(names)].sort();
}

const usual = {
  ...{ url: null, stages: ['prompt' as const], timeoutMs: 1_000, whenDown: 'refuse' as const },
  ...{ blockWords: ['forbidden'], maskWords: [] },
};
const guardrails = { usual, accounts: new Map(), keepPromptsDays: 1, strikes: null, key: null };

test('erasure leaves only an account’s rows in the ledger, its keys and its audit log', async () => {
  await using world = await openWorld({
    env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' },
    config: { guardrails },
  });
  const { database } = world.app;
  const own = await openOwnAccount(world, 'erased');
  const { accountId } = own;
  await openMember(world, { email: 'erased@example.com', accountId });
  const jobId = await own.make({ metadata: { order: 'A-17' }, callback_url: 'http://127.0.0.9:8088/hook' });
  const batched = { model: 'nb2', mode: 'text', body: { prompt: 'a fox', aspect_ratio: '1:1' } };
  assert.equal((await own.send('POST', '/batches', { requests: [batched] })).status, 202);
  for (const id of await own.list()) await own.finished(id);
  assert.equal((await own.send('PUT', `/jobs/${jobId}/tags/winter`)).status, 200);
  assert.equal((await own.send('PUT', `/jobs/${jobId}/star`)).status, 200);
  assert.equal(
    (await own.send('PUT', '/webhooks/default', { url: 'http://127.0.0.9:8088/all' })).status,
    200,
  );
  const added = await own.send('POST', '/webhooks', { url: 'http://127.0.0.9:8088/other' });
  assert.equal(added.status, 201);
  const refused = { prompt: 'forbidden fruit', aspect_ratio: '1:1' };
  assert.equal((await own.send('POST', '/nb2/text-generations', refused)).body.code, 'prompt_refused');
  const token = await own.send('POST', '/client-tokens', {});
  assert.equal(token.status, 201);
  const what = { accountId, jobIds: [jobId], withPrompts: true, days: 1 };
  await shareImages({ database, clock: world.clock }, what, commandLine);
  await createAlbum({ database, clock: world.clock }, { accountId, name: 'Spring', add: [jobId] });

  const operator = await openOperator(world);
  await operator.call('POST /admin/v1/accounts/:account/credits', {
    params: { account_id: accountId },
    body: { amount: '1', reason: 'a gift' },
  });

  // A key may be kept for longer than its job.
  const key = { key: 'kept', fingerprint: '', holder: null, held_until: null, created_at: Date.now() };
  await database.transaction((tx) =>
    tx
      .insertInto('idempotency_keys')
      .values({ ...key, account_id: accountId, job_id: newId(0) })
      .execute(),
  );

  // Waits for maintenance to write the words, which would otherwise depend on timing.
  await writeWords(database, new AbortController().signal);
  const endpoints = await database.read
    .selectFrom('endpoints')
    .select('id')
    .where('account_id', '=', accountId)
    .execute();
  const keys = await database.read
    .selectFrom('api_keys')
    .select('id')
    .where('account_id', '=', accountId)
    .execute();
  const endpointIds = endpoints.map(({ id }) => id);
  const owned = {
    account_id: [accountId],
    owner_id: [accountId, ...endpointIds],
    endpoint_id: endpointIds,
    job_id: [jobId],
    key_id: keys.map(({ id }) => id),
  };
  const lived = await tablesOf(world, owned);
  for (const table of [
    'shares',
    'events',
    'batches',
    'idempotency_keys',
    'signing_secrets',
    'client_tokens',
    'job_stars',
    'albums',
    'album_images',
    'members',
    'endpoints',
    'refusals',
  ])
    assert.ok(lived.includes(table), `${table} had nothing to erase`);
  for (const id of [accountId, String(added.body.endpoint_id)])
    assert.deepEqual(await tablesOf(world, { owner_id: [id] }), ['signing_secrets'], 'each has its secret');

  const signals = { routes: { list: () => [] }, onSettled: () => {}, onTakenAway: () => {} };
  const deps = { ...world.app, ...signals, mayRemove: async () => true };
  await eraseAccount(deps, { account: accountId, name: 'erased' }, commandLine);
  assert.deepEqual(await tablesOf(world, owned), staying);
  const log = await database.read
    .selectFrom('audit_log')
    .select(['detail', 'person_name'])
    .where('account_id', '=', accountId)
    .where('action', '<>', 'account.erased')
    .execute();
  assert.deepEqual(new Set(log.map(({ detail }) => detail)), new Set(['{}']));
  const actors = new Set(log.map(({ person_name }) => person_name));
  assert.deepEqual(actors, new Set(['Operator', 'erased', commandLine.name]));
});
