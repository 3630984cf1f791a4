import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { connect } from '../../src/base/db/connect.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { makeFingerprint, writeFingerprint } from '../../src/config/secret-fingerprint.ts';
import { createSigningSealer } from '../../src/notify/webhooks/secrets/signing-sealer.ts';
import { openReleased } from '../db/support/open-released.ts';
import { makeSmallDisk, noSmallDisk } from '../faults/support/small-disk.ts';
import { createDatabase } from '../world/databases.ts';
import { assertSameDump, dumpDatabase } from '../world/dump-database.ts';
import { openInstallation } from './support/installation.ts';
import { runServerProcess, startServerProcess } from './support/server-process.ts';

type Env = Record<string, string>;

interface Refusal {
  env: Env;
  args?: string[];
  says: RegExp;
}

async function takePort(stack: AsyncDisposableStack): Promise<string> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stack.defer(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return String(port);
}

/** One of each kind of reason that `readConfig` does not find, and one that it finds. */
async function refusals(stack: AsyncDisposableStack): Promise<Record<string, Refusal>> {
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'darkroom-refused-'))).path;
  const port = await takePort(stack);
  let files = 0;
  const config = async (content: object) => {
    files += 1;
    const file = join(folder, `${files}.json`);
    await writeFile(file, JSON.stringify(content));
    return { DARKROOM_CONFIG: file };
  };
  const priced = { prices: { nb2: { '1K': '0.01' } } };
  return {
    'a wrong setting': { env: { PORT: 'eighty' }, says: /PORT is "eighty"/ },
    'a file with a price of a model that is not there': {
      env: await config({ prices: { none: { '1K': '0.01' } } }),
      says: /DARKROOM_CONFIG: there is no model none/,
    },
    'a file with a price of a resolution that is not there': {
      env: await config({ prices: { nb2: { '1K': '0.01', '64K': '1' } } }),
      says: /DARKROOM_CONFIG: prices\.nb2\.64K/,
    },
    'a file with a route that lacks its key': {
      env: await config({ ...priced, routes: { nb2: [{ provider: 'openai', model: 'gpt-image-2' }] } }),
      says: /The route nb2\/openai cannot work: openai needs an API key/,
    },
    'a file with a route that lacks its address': {
      env: await config({ ...priced, routes: { nb2: [{ provider: 'automatic1111' }] } }),
      says: /needs a baseUrl/,
    },
    'an image store that cannot be used': {
      env: { ...(await config(priced)), DARKROOM_STORAGE: 'disk:/dev/null' },
      says: /DARKROOM_STORAGE/,
    },
    'a port that is taken': { env: { ...(await config(priced)), PORT: port }, says: /: PORT \d+ .* in use/ },
    'a port for health that is taken': {
      env: { ...(await config(priced)), DARKROOM_HEALTH_PORT: port },
      says: /: DARKROOM_HEALTH_PORT \d+ .* in use/,
    },
    'the same port twice': {
      env: { ...(await config(priced)), PORT: '4599', DARKROOM_HEALTH_PORT: '4599' },
      says: /DARKROOM_HEALTH_PORT/,
    },
    'an address of another machine': {
      env: { ...(await config(priced)), HOST: '192.0.2.1', PORT: '4598' },
      says: /HOST is "192\.0\.2\.1"/,
    },
    'an address of another machine, and any port': {
      env: { ...(await config(priced)), HOST: '192.0.2.1', PORT: '0' },
      says: /HOST is "192\.0\.2\.1"/,
    },
  };
}

async function refuse(env: Env, { env: wrong, args, says }: Refusal, name: string): Promise<void> {
  const { code, stderr } = await runServerProcess({ ...env, ...wrong }, args);
  assert.equal(code, 1, name);
  assert.match(stderr, /^Darkroom cannot start: [^\n]*\n$/, name);
  assert.match(stderr, says, name);
}

test('a refused start of a new version leaves the older version’s database unchanged, whatever the reason', async () => {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await openReleased('0.1.0'));
  const where = { url: place.url, dataDir: place.env.DARKROOM_DATA_DIR };
  const before = await dumpDatabase(where);
  for (const [name, refusal] of Object.entries(await refusals(stack))) {
    await refuse(place.env, refusal, name);
    assertSameDump(await dumpDatabase(where), before, name);
  }
  if (place.url) {
    const port = await takePort(stack);
    const shared = { env: { PORT: port }, args: ['--processes', '2'], says: /: PORT \d+ .* in use/ };
    await refuse(place.env, shared, 'a port that is taken, for several processes');
    assertSameDump(await dumpDatabase(where), before, 'several processes');
  }
  {
    const fingerprint = makeFingerprint('the secret of this database, which is lost');
    await using database = await connect({ ...where, clock: systemClock });
    await database.transaction((tx) => writeFingerprint(tx, fingerprint));
  }
  const marked = await dumpDatabase(where);
  const env = { DARKROOM_SECRET: 'some other secret that is no use at all here' };
  await refuse(place.env, { env, says: /is not the secret of this database/ }, 'another secret');
  assertSameDump(await dumpDatabase(where), marked, 'another secret');
  await chmod(where.dataDir, 0o1777);
  await refuse(place.env, { env: {}, says: /all users of this machine share/ }, 'a shared folder');
  assertSameDump(await dumpDatabase(where), marked, 'a shared folder');
});

test('a database without a fingerprint of its secret is left unchanged by a start with another secret, or none', async () => {
  await using place = await openReleased('0.1.0');
  const where = { url: place.url, dataDir: place.env.DARKROOM_DATA_DIR };
  const own = 'the secret with which the older version sealed';
  {
    await using database = await connect({ ...where, clock: systemClock });
    const { id } = await database.read.selectFrom('accounts').select('id').limit(1).executeTakeFirstOrThrow();
    const sealed = createSigningSealer([own]).seal('whsec_x', id);
    await database.transaction((tx) =>
      sql`insert into signing_secrets (secret, account_id, created_at) values (${sealed}, ${id}, 1)`.execute(
        tx,
      ),
    );
  }
  const before = await dumpDatabase(where);
  const another = { DARKROOM_SECRET: 'some other secret that is no use at all here' };
  await refuse(place.env, { env: another, says: /is not the secret of this database/ }, 'another secret');
  assertSameDump(await dumpDatabase(where), before, 'another secret');
  await refuse(place.env, { env: {}, says: /The secret of this database is missing/ }, 'no secret');
  assertSameDump(await dumpDatabase(where), before, 'no secret');
  await using _server = await startServerProcess({ ...place.env, DARKROOM_SECRET: own });
});

test('a refused start changes no model: the next start without the file has the earlier models', async () => {
  await using stack = new AsyncDisposableStack();
  await using place = await openInstallation(await createDatabase());
  const where = { url: place.env.DATABASE_URL, dataDir: place.env.DARKROOM_DATA_DIR ?? '' };
  {
    await using _first = await place.start('all');
  }
  const before = await dumpDatabase(where);
  for (const [name, refusal] of Object.entries(await refusals(stack))) {
    await refuse(place.env, refusal, name);
    assertSameDump(await dumpDatabase(where), before, name);
  }
  const { models } = await place.operator.exportModels();
  await using _next = await place.start('all');
  assert.deepEqual((await place.operator.exportModels()).models, models);
});

test('a data folder on a read-only disk is named, with what to do', {
  skip: noSmallDisk,
}, async () => {
  using disk = makeSmallDisk(1_048_576);
  execFileSync('mount', ['-o', 'remount,ro', disk.path]);
  const says =
    /DARKROOM_DATA_DIR: .* cannot be used: the disk is mounted read-only \(EROFS\)\. Name a folder/;
  await refuse({ DARKROOM_DATA_DIR: join(disk.path, 'data') }, { env: {}, says }, 'a read-only disk');
});

test('a refused start creates no database', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'darkroom-refused-')));
  const database = await createDatabase({ empty: true });
  stack.defer(async () => database?.drop());
  const dataDir = join(folder.path, 'data');
  const env = { DARKROOM_DATA_DIR: dataDir, ...(database && { DATABASE_URL: database.url }) };
  const where = { url: database?.url, dataDir };
  const before = database && (await dumpDatabase(where));
  for (const [name, refusal] of Object.entries(await refusals(stack))) {
    await refuse(env, refusal, name);
    if (before) assertSameDump(await dumpDatabase(where), before, name);
    const made = existsSync(dataDir) ? await readdir(dataDir) : [];
    assert.deepEqual(
      made.filter((file) => !['images', 'incoming'].includes(file)),
      [],
      name,
    );
  }
  await using _started = await startServerProcess(env);
});
