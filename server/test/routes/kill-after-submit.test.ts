import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connect } from '../../src/base/db/connect.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { bflKey, startBfl } from '../emulators/bfl.ts';
import type { Emulator } from '../emulators/emulator.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { replicateToken, startReplicate } from '../emulators/replicate.ts';
import { createDatabase } from '../world/databases.ts';
import { programFile } from '../world/program-file.ts';

describe('kill -9 after submit', { concurrency: true }, () => {
  test('to fal: one remote job, one result, paid for once', async () => {
    await using emulator = await startFal();
    const route = { provider: 'fal', model: 'fal-ai/nano-banana-2', baseUrl: emulator.url, pollMs: 10 };
    await survives(emulator, route, { FAL_KEY: falKey });
  });

  test('to Replicate: one remote job, one result, paid for once', async () => {
    await using emulator = await startReplicate();
    const route = {
      provider: 'replicate',
      model: 'google/nano-banana-2',
      baseUrl: `${emulator.url}/v1`,
      pollMs: 10,
    };
    await survives(emulator, route, { REPLICATE_API_TOKEN: replicateToken });
  });

  test('to Black Forest Labs: one remote job, one result, paid for once', async () => {
    await using emulator = await startBfl();
    const route = { provider: 'bfl', model: 'flux-2-pro', baseUrl: `${emulator.url}/v1`, pollMs: 10 };
    await survives(emulator, route, { BFL_API_KEY: bflKey });
  });

  test('a job that has no time left after it is cancelled at fal', async () => {
    await using emulator = await startFal();
    const route = { provider: 'fal', model: 'fal-ai/nano-banana-2', baseUrl: emulator.url, pollMs: 10 };
    await using stopped = await submitAndKill(emulator, route, { FAL_KEY: falKey });
    await stopped.configure({ limits: { jobSeconds: 1 } });
    await setTimeout(1000);
    const cancelled = emulator.arrived('cancel');
    const { client } = await stopped.startAgain();
    const job = await untilEnded(() =>
      client('GET', `/jobs/${stopped.jobId}`, undefined, { prefer: 'wait=30' }),
    );
    assert.deepEqual([job.status, job.error_code], ['failed', 'interrupted']);
    await cancelled;
    assert.deepEqual(emulator.cancelled, emulator.accepted);
    assert.equal((await client('GET', '/balance')).balance, '1.00');
  });
});

type ResumableEmulator = Emulator & { accepted: string[]; size: object };

/**
 * A real server submits a request and is killed while it waits. The next server on the same data resumes the request.
 */
async function survives(
  emulator: ResumableEmulator,
  route: object,
  keys: Record<string, string>,
): Promise<void> {
  await using stopped = await submitAndKill(emulator, route, keys);
  const { client } = await stopped.startAgain();
  const job = await untilEnded(() =>
    client('GET', `/jobs/${stopped.jobId}`, undefined, { prefer: 'wait=30' }),
  );
  assert.equal(job.status, 'done', String(job.error));
  assert.equal(emulator.accepted.length, 1);
  assert.equal(emulator.of('file').length, 1);
  assert.equal((await client('GET', '/balance')).balance, '0.96');
}

async function submitAndKill(emulator: ResumableEmulator, route: object, keys: Record<string, string>) {
  Object.assign(emulator.size, { width: 1024, height: 1024 });
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-kill-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const own = await createDatabase();
  stack.defer(async () => own?.drop());
  const file = join(folder, 'config.json');
  const configure = (more: object) => writeFile(file, JSON.stringify({ routes: { nb2: [route] }, ...more }));
  await configure({});
  const env = {
    ...keys,
    PORT: '0',
    DARKROOM_DATA_DIR: folder,
    DARKROOM_CONFIG: file,
    DARKROOM_LOG_LEVEL: 'silent',
    ...(own && { DATABASE_URL: own.url }),
  };

  emulator.answer('status', 'hang');
  const waiting = emulator.arrived('status');
  const first = await startServer(env);
  const client = await clientOf(folder);
  const created = await client('POST', '/nb2/text-generations', { prompt: 'a fox', aspect_ratio: '1:1' });
  await waiting;
  first.kill('SIGKILL');
  await once(first, 'exit');
  await endLeases(folder, own?.url);
  return {
    jobId: String(created.job_id),
    configure,
    async startAgain() {
      const second = await startServer(env);
      stack.defer(async () => {
        const gone = once(second, 'exit');
        second.kill('SIGTERM');
        await gone;
      });
      return { client: await clientOf(folder) };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function startServer(env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [programFile('server')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const chunk of child.stdout.setEncoding('utf8')) if (/Darkroom is ready/.test(chunk)) break;
  return child;
}

async function clientOf(folder: string) {
  const { url, key } = JSON.parse(await readFile(join(folder, 'client.json'), 'utf8')) as Record<
    string,
    string
  >;
  return async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...headers,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
}

async function untilEnded(look: () => Promise<Record<string, unknown>>): Promise<Record<string, unknown>> {
  for (;;) {
    const job = await look();
    if (job.status !== 'queued' && job.status !== 'processing') return job;
  }
}

/** Ends leases as if twenty seconds had passed, which is when a silent worker counts as dead. */
async function endLeases(dataDir: string, url: string | undefined): Promise<void> {
  await using database = await connect({ url, dataDir, clock: systemClock });
  await database.transaction((tx) =>
    tx.updateTable('jobs').set({ claimable_at: 0 }).where('worker', 'is not', null).execute(),
  );
}
