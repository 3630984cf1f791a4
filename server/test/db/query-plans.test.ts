import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { findOwnerOfRemoved } from '../../src/jobs/job-store.ts';
import { findAcceptedJobs } from '../../src/jobs/upkeep/installation-store.ts';
import { listEntriesOfJob } from '../../src/money/ledger/entry-page-store.ts';
import { cancelPendingOf } from '../../src/notify/webhooks/endpoints/pending-delivery-store.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { findIdempotencyKeyOf } from '../../src/web/api/screens/jobs/job-page-store.ts';
import { majorVersion } from '../world/databases.ts';
import { openWorld, type World } from '../world/world.ts';

// Tables that grow with every job. Queries that run for every job must not read them whole. Plans are made while
// tables are empty and then kept, so they are checked in that state.
const growing = ['jobs', 'entries', 'events', 'deliveries', 'delivery_attempts', 'idempotency_keys'];
// Exceptions: the check of all invariants reads everything, page by page; migrations copy tables before dropping
// them; the queue estimate reads some of the newest events, and the first start reads the last one.
const ofTheCheck =
  / as detail\s+from|where true order by id limit 1 offset|as "lastId"|endpoints_of_accounts|entries_with_debits|secrets_of_owners|limits_of_subjects|events set kind|job_id from events order by seq desc limit|entries set model|max\("seq"\) as "seq" from "events"$/;
// Indexes that contain only running work.
const ofWork = /^(jobs_claimable|jobs_leased|deliveries_claimable|deliveries_leased|idempotency_keys_held)$/;

test('no query that runs while jobs run reads a growing table from end to end', async (t) => {
  const seen = listen(t);
  await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
  await liveADay(world);
  const texts = [...seen];
  assert.ok(texts.length > 30, `only ${texts.length} statements were seen`);
  const url = world.config.databaseUrl;
  const scans = url ? await scansOnPostgres(t, texts, url) : scansOnSqlite(texts, world.config.dataDir);
  assert.deepEqual(scans, []);
});

test('jobs in each state are found by that state’s index', async (t) => {
  await using world = await openWorld({ worker: false });
  const url = world.config.databaseUrl;
  if (url) return t.skip('what PostgreSQL chooses depends on its statistics');
  using database = new DatabaseSync(join(world.config.dataDir, 'darkroom.db'), { readOnly: true });
  database.function('now_ms', { directOnly: true }, () => Date.now());
  for (const [query, indexes] of [
    ['status=done', ['jobs_done']],
    ['status=done&model=nb2', ['jobs_done']],
    ['status=done&from=2026-11-20T00:00:00Z&to=2099-01-01T00:00:00Z', ['jobs_done']],
    ['status=failed', ['jobs_failed']],
    ['status=failed&model=nb2', ['jobs_failed']],
    ['status=queued', ['jobs_claimable']],
    ['status=processing', ['jobs_claimable', 'jobs_leased']],
  ] as const) {
    const seen = listen(t);
    assert.equal((await world.send('GET', `/jobs?${query}`)).status, 200);
    t.mock.restoreAll();
    const text = [...seen].find((one) => /as listed/.test(one));
    assert.ok(text, query);
    const plan = database.prepare(`explain query plan ${text}`).all();
    const used = plan.flatMap(({ detail }) => /INDEX (jobs_\w+)/.exec(String(detail))?.[1] ?? []);
    assert.deepEqual([...new Set(used)].sort(), indexes, `${query}: ${JSON.stringify(plan)}`);
  }
});

test('a page of duplicates reads only duplicates, in order', async (t) => {
  await using world = await openWorld({ worker: false });
  if (world.config.databaseUrl) return t.skip('what PostgreSQL chooses depends on its statistics');
  using database = new DatabaseSync(join(world.config.dataDir, 'darkroom.db'), { readOnly: true });
  const seen = listen(t);
  assert.equal((await world.send('GET', '/jobs?duplicates=true')).status, 200);
  t.mock.restoreAll();
  const text = [...seen].find((one) => /as listed/.test(one));
  const plan = database
    .prepare(`explain query plan ${text}`)
    .all()
    .map(({ detail }) => String(detail));
  assert.match(
    plan[0] ?? '',
    /^SEARCH duplicates USING COVERING INDEX duplicates_by_account \(account_id=\?\)$/,
  );
  assert.deepEqual(
    plan.filter((step) => /B-TREE|SCAN/.test(step)),
    [],
    plan.join('\n'),
  );
});

test('done jobs are found by their index among thousands that failed, if PostgreSQL knows how many', async (t) => {
  await using world = await openWorld();
  const url = world.config.databaseUrl;
  if (!url) return t.skip('SQLite chooses without statistics');
  await world.finished(await world.create());
  world.provider.handler = () => Promise.reject(new ProviderError('safety_blocked', 'No.'));
  await world.finished(await world.create());
  const seen = listen(t);
  for (const query of ['status=done', 'status=done&model=nb2'])
    assert.equal((await world.send('GET', `/jobs?${query}`)).status, 200);
  t.mock.restoreAll();
  const texts = [...seen].filter((one) => /as listed/.test(one));
  assert.equal(texts.length, 2);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    if ((await majorVersion(client)) < 16) return t.skip('PostgreSQL tells generic plans since 16');
    await client.query('begin');
    const values = `'id', gen_random_uuid(), 'idempotency_key', null`;
    await grow(client, 'jobs', values, { like: `status = 'failed'`, rows: 1_000 });
    for (const text of texts) {
      const used = (await nodesIn(client, text)).flatMap((node) => node['Index Name'] ?? []);
      assert.ok(used.includes('jobs_done') && !used.includes('jobs_by_account'), `${used}: ${text}`);
    }
  } finally {
    await client.end();
  }
});

function listen(t: TestContext): Set<string> {
  const seen = new Set<string>();
  const note = (text: string) => {
    if (/^\s*(select|insert|update|delete|with)\b/i.test(text) && !ofTheCheck.test(text)) seen.add(text);
  };
  const prepare = DatabaseSync.prototype.prepare;
  t.mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, text: string) {
    note(text);
    return prepare.call(this, text);
  });
  const query = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    if (typeof first === 'object' && first !== null && 'text' in first) note(String(first.text));
    return query.apply(this, args);
  });
  return seen;
}

async function liveADay(world: World): Promise<void> {
  const hook = { callback_url: 'http://127.0.0.9:8088/nobody-listens' };
  const jobId = await world.create('/nb2/text-generations', hook, { 'idempotency-key': 'once' });
  await world.create('/nb2/text-generations', hook, { 'idempotency-key': 'once' });
  await world.finished(jobId);
  world.provider.handler = () => Promise.reject(new ProviderError('bad_response', 'No image came.'));
  const failing = await world.create();
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const requests = Array.from({ length: 40 }, () => ({ model: 'nb2', mode: 'text', body }));
  await world.send('POST', '/batches', { body: { requests } });
  await world.send('GET', `/jobs/${await world.create()}`);
  await world.elapse(60_000);
  await world.send('POST', `/jobs/${failing}/cancel`);
  await world.send('GET', '/jobs?status=done&model=nb2');
  await world.send('PUT', `/jobs/${jobId}/tags/best`);
  await world.send('PUT', `/jobs/${jobId}/star`);
  for (const query of [
    'q=fox',
    'q=fox&tag=best&starred=true',
    'tag=best',
    'starred=true',
    `similar_to=${jobId}`,
    'duplicates=true',
    'metadata[a]=b',
  ])
    await world.send('GET', `/jobs?${query}`);
  await world.send('GET', '/events');
  await world.balance();
  await lookAround(world, jobId);
}

async function lookAround({ app: { database } }: World, jobId: string): Promise<void> {
  await listEntriesOfJob(database.read, jobId);
  await findIdempotencyKeyOf(database.read, jobId);
  await database.transaction((tx) => cancelPendingOf(tx, [jobId], 'endpoint_disabled'));
  await findAcceptedJobs(database.read, [jobId]);
  await findOwnerOfRemoved(database.read, jobId);
}

function scansOnSqlite(texts: readonly string[], dataDir: string): string[] {
  using database = new DatabaseSync(join(dataDir, 'darkroom.db'), { readOnly: true });
  database.function('now_ms', { directOnly: true }, () => Date.now());
  return texts.flatMap((text) => {
    const aliases = aliasesIn(text);
    return database
      .prepare(`explain query plan ${text}`)
      .all()
      .map(({ detail }) => String(detail))
      .filter((detail) => {
        const [, table = '', index = ''] =
          /^SCAN (\w+)(?:.* USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
        return aliases.has(table) && !ofWork.test(index);
      })
      .map((detail) => `${detail}: ${shorten(text)}`);
  });
}

async function scansOnPostgres(t: TestContext, texts: readonly string[], url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    if ((await majorVersion(client)) < 16) {
      t.skip('PostgreSQL tells generic plans since 16');
      return [];
    }
    for (const setting of ['seqscan', 'hashjoin', 'mergejoin', 'material'])
      await client.query(`set enable_${setting} = off`);
    const ofEmptyTables = await scansIn(client, texts);
    await client.query('begin');
    await growOneAccount(client);
    return [...ofEmptyTables, ...(await scansIn(client, texts))];
  } finally {
    await client.end();
  }
}

/** Makes plans for one account with nearly all rows, as on most servers of one company. */
async function growOneAccount(client: pg.Client): Promise<void> {
  const fresh: Record<string, string> = {
    jobs: `'id', gen_random_uuid(), 'idempotency_key', null`,
    entries: `'id', 1000 + n, 'job_id', null, 'kind', 'credit', 'reference', null`,
    events: `'seq', 1000 + n, 'id', 'evt-' || n, 'job_id', gen_random_uuid()`,
    deliveries: `'id', 1000 + n, 'endpoint_id', gen_random_uuid()`,
    idempotency_keys: `'key', 'key-' || n`,
  };
  for (const [table, values] of Object.entries(fresh))
    await grow(client, table, values, { like: 'true', rows: 1_000 });
}

async function grow(
  client: pg.Client,
  table: string,
  values: string,
  { like, rows }: { like: string; rows: number },
): Promise<void> {
  await client.query(`insert into ${table} overriding system value
    select (jsonb_populate_record(null::${table}, to_jsonb(one) || jsonb_build_object(${values}))).*
    from (select * from ${table} where ${like} order by 1 limit 1) as one, generate_series(1, ${rows}) as n`);
  await client.query(`analyze ${table}`);
}

async function scansIn(client: pg.Client, texts: readonly string[]): Promise<string[]> {
  const scans: string[] = [];
  for (const text of texts) {
    for (const node of await nodesIn(client, text)) {
      if (node['Node Type'] === 'Bitmap Heap Scan') continue; // its child node counts
      const index = node['Index Name'] ?? '';
      const table = node['Relation Name'] ?? growing.find((name) => index.startsWith(name)) ?? '';
      if (!growing.includes(table) || node['Index Cond']) continue;
      if (!ofWork.test(index)) scans.push(`${node['Node Type']} ${table} ${index}: ${shorten(text)}`);
    }
  }
  return scans;
}

async function nodesIn(client: pg.Client, text: string): Promise<PlanNode[]> {
  const { rows } = await client.query(`explain (generic_plan, format json) ${text}`);
  const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
  return nodesOf(plan);
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)].filter((node) => node['Node Type'].includes('Scan'));
}

function aliasesIn(text: string): Set<string> {
  const found = growing.flatMap((table) => [
    table,
    ...[...text.matchAll(new RegExp(`"?\\b${table}\\b"? as "?(\\w+)`, 'g'))].map(
      ([, alias]) => alias ?? table,
    ),
  ]);
  return new Set(found);
}

function shorten(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/(\(\?[?, ]*\)[, ]*)+/g, '(…)')
    .slice(0, 300);
}
