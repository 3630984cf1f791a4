import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../http/support/requests.ts';
import { createDatabase } from '../world/databases.ts';
import { freePort } from '../world/free-port.ts';
import { clientOf, createJob, eachOf, finished } from './support/client.ts';
import { type Installation, openInstallation } from './support/installation.ts';
import { runServerProcess, startServerProcess } from './support/server-process.ts';

/** Several processes need one PostgreSQL database. */
const skip = process.env.TEST_DATABASE_URL ? false : 'needs PostgreSQL';

interface Child {
  pid: number;
  role: string;
  /** The number of workers that share the machine's memory for images. */
  workers: string;
}

/** `/proc/PID/task/PID/children` omits some children while another one ends. */
async function childrenOf(pid: number): Promise<Child[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    processes.map(async (name): Promise<Child[]> => {
      const [stat, line] = await Promise.all(
        ['stat', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
      );
      // The program's name, in brackets, may contain spaces.
      const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      if (Number(parent) !== pid) return [];
      const given = (option: string) => new RegExp(`--${option}\\0(\\w+)`).exec(line ?? '')?.[1] ?? '';
      return [{ pid: Number(name), role: given('role'), workers: given('workers') }];
    }),
  );
  return found.flat();
}

async function isThere(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
}

async function startSupervised(place: Installation, count: number, more: Record<string, string> = {}) {
  return startServerProcess({ ...place.env, ...more }, 'all', ['--processes', String(count)]);
}

test('processes under one parent share a port; a killed process is replaced, and no job is lost', {
  skip,
}, async () => {
  await using place = await openInstallation(await createDatabase());
  const healthPort = await freePort(4);
  await using server = await startSupervised(place, 4, { DARKROOM_HEALTH_PORT: String(healthPort) });
  const { key } = await place.account(100_000_000n);
  const client = clientOf(server, key);
  const before = await childrenOf(server.pid);
  assert.deepEqual(before.map(({ role }) => role).sort(), ['api', 'api', 'worker', 'worker']);
  assert.deepEqual(
    before.map(({ workers }) => workers),
    before.map(() => '2'),
  );

  const jobs: string[] = [];
  const prompt = '[[delay:300ms]] a fox [[fail:safety_blocked]]';
  const create = async () => {
    jobs.push(await createJob(client, prompt));
  };
  await eachOf(Array(40).keys(), 8, create);
  const victims = ['api', 'worker'].map((role) => before.find((child) => child.role === role)?.pid ?? 0);
  for (const pid of victims) process.kill(pid, 'SIGKILL');

  // The other process of each role continues, and a new process replaces the killed one.
  // Until a new process has loaded its program, it shows its parent's options.
  await eventually(
    () => childrenOf(server.pid),
    (now) =>
      isDeepStrictEqual(now.map(({ role }) => role).sort(), ['api', 'api', 'worker', 'worker']) &&
      !now.some(({ pid }) => victims.includes(pid)),
  );
  await eachOf(Array(20).keys(), 4, create);
  for (const id of jobs) assert.equal((await finished(client, id)).status, 'failed');

  // Each process has a port only for health and metrics; the second worker's is the fourth. The new ones may still start.
  const owns = [0, 1, 2, 3].map((index) => `http://127.0.0.1:${healthPort + index}`);
  for (const each of owns)
    while ((await fetch(`${each}/readyz`).catch(() => undefined))?.status !== 200) await sleep(50);
  const own = owns[3];
  assert.match(await (await fetch(`${own}/metrics`)).text(), /^process_cpu_seconds_total /m);
  assert.equal((await fetch(`${own}/api/v1/models`)).status, 404);

  server.signal('SIGTERM');
  const { code, stdout, stderr } = await server.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const events = lines.map((line) => JSON.parse(line));
  assert.equal(events.filter(({ event }) => event === 'process.ended').length, 2);
  assert.equal(events.filter(({ event }) => event === 'server.stopping').length, 4);
});

test('SIGTERM to the parent lets a running job end, answers clients that wait for it, and leaves no process', {
  skip,
}, async () => {
  await using place = await openInstallation(await createDatabase());
  await using server = await startSupervised(place, 2);
  const { key } = await place.account(1_000_000n);
  const client = clientOf(server, key);
  const jobId = await createJob(client, '[[delay:3s]] a fox [[fail:safety_blocked]]');
  while ((await client('GET', `/jobs/${jobId}`)).body.status === 'queued');
  const children = await childrenOf(server.pid);
  const waiting = client('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=30' } });
  for (let index = 0; index < 3; index++) await client('GET', '/balance');
  server.signal('SIGTERM');
  assert.equal((await waiting).status, 200);
  assert.equal((await server.ended).code, 0);
  assert.deepEqual(await place.readJob(jobId), { status: 'failed', attempt: 1 });
  for (const { pid } of children) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('after a parent is killed, its processes end by themselves once their jobs have ended', {
  skip,
}, async () => {
  await using place = await openInstallation(await createDatabase());
  await using server = await startSupervised(place, 2);
  const { key } = await place.account(1_000_000n);
  const client = clientOf(server, key);
  const jobId = await createJob(client, '[[delay:2s]] a fox [[fail:safety_blocked]]');
  while ((await client('GET', `/jobs/${jobId}`)).body.status === 'queued');
  const children = await childrenOf(server.pid);
  server.signal('SIGKILL');
  await server.ended;
  for (const { pid } of children) while (await isThere(pid)) await sleep(50);
  assert.deepEqual(await place.readJob(jobId), { status: 'failed', attempt: 1 });
});

test('an error that stops the first process’s start ends the parent, with the process’s message', {
  skip,
}, async () => {
  await using place = await openInstallation(await createDatabase());
  await place.database.transaction((tx) =>
    tx.insertInto('migrations').values({ version: 9_999, name: 'of tomorrow', applied_at: 0 }).execute(),
  );
  const { code, stderr } = await runServerProcess(place.env, ['--processes', '2']);
  assert.equal(code, 1);
  assert.match(stderr, /^Darkroom cannot start: The database has schema version 9999/);
});

test('SQLite allows one process, and a sentence says so; an invalid number is refused', {
  skip: !skip && 'needs SQLite',
}, async () => {
  await using place = await openInstallation(undefined);
  await using server = await startSupervised(place, 3);
  assert.deepEqual((await childrenOf(server.pid)).map(({ role }) => role).filter(Boolean), []);
  server.signal('SIGTERM');
  assert.match((await server.ended).stdout, /SQLite takes one process: --processes needs PostgreSQL/);
  const { code, stderr } = await runServerProcess(place.env, ['--processes', 'many']);
  assert.equal(code, 1);
  assert.match(stderr, /--processes is "many"; it must be a whole number from 1 to 64, or auto\./);
});
