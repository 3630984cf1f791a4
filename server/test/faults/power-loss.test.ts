import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Images } from '../../faults/power-cuts/images.ts';
import { readTrace } from '../../faults/power-cuts/read-trace.ts';
import { runPowerCuts } from '../../faults/power-cuts/run-power-cuts.ts';
import { connect } from '../../src/base/db/connect.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { endNow, type RealServer, startServer, temporaryFolder, until } from './support/server.ts';
import { noTracing, readCalls, type TracedCall, tracing } from './support/traced-calls.ts';

const databaseFile = 'darkroom.db';
const logFile = `${databaseFile}-wal`;
const text = { prompt: 'a fox', aspect_ratio: '1:1' };
const traced = { skip: noTracing, timeout: 120_000 };

test('power loss: before every 202 the log is synced, so its remains contain the job', traced, async () => {
  using folder = temporaryFolder();
  const jobIds: unknown[] = [];
  // The server has no worker, so that only the creates write.
  const calls = await callsOf(folder.path, '--role api', async (server) => {
    for (let nth = 0; nth < 12; nth++) jobIds.push(await create(server));
    jobIds.push(...(await Promise.all(Array.from({ length: 8 }, () => create(server)))));
  });
  const answers = calls.filter(({ given }) => given.includes('"HTTP/1.1 202 '));
  assert.equal(answers.length, jobIds.length);
  const firstAnsweredAt = answers[0]?.beganAt ?? 0;
  const later = calls.filter(({ beganAt }) => beganAt > firstAnsweredAt);
  assert.ok(!later.some(isOn(databaseFile)), 'all that was created is in the log alone');
  for (const [nth, answer] of answers.entries()) {
    const before = calls.filter(({ returnedAt }) => returnedAt < answer.beganAt);
    const kept = await jobsAfterPowerLoss(folder.path, syncedBytes(before));
    assert.ok(kept.length > nth, `${kept.length} jobs were kept at answer ${nth}`);
  }
  assert.deepEqual(await jobsAfterPowerLoss(folder.path, syncedBytes(calls)), jobIds.sort());
});

test(
  'power loss: a job is reported done only once its image and all folders above it are synced',
  traced,
  async () => {
    using folder = temporaryFolder();
    const calls = await callsOf(folder.path, '--role all', async (server) => {
      const makeOne = async () => {
        const job = `/jobs/${await create(server)}`;
        const { status, body } = await server.send('GET', job, undefined, { prefer: 'wait=30' });
        assert.deepEqual([status, body.status], [200, 'done']);
      };
      for (let nth = 0; nth < 3; nth++) await makeOne();
      await Promise.all(Array.from({ length: 6 }, makeOne));
    });
    const answers = calls.filter(({ given }) => given.includes('"HTTP/1.1 200 '));
    assert.equal(answers.length, 9);
    const keptAt = [...madeImages(calls)].map(([path, madeAt]) => keptFrom(calls, path, madeAt));
    for (const [nth, { beganAt }] of answers.entries()) {
      const kept = keptAt.filter((at) => at < beganAt).length;
      assert.ok(kept > nth, `${kept} images were kept at answer ${nth}`);
    }
  },
);

test(
  'power loss: a rendition is synced before it gets its name, so it is whole or missing',
  traced,
  async () => {
    using folder = temporaryFolder();
    const calls = await callsOf(folder.path, '--role all', async (server) => {
      await create(server);
      await until(() => globSync(join(folder.path, 'images/results/*/*-256.webp')).length > 0);
    });
    const named = calls.find(({ name, given }) => /^rename/.test(name) && given.endsWith('-256.webp"'));
    const [, temporary = ''] = /"([^"]*)", "/.exec(named?.given ?? '') ?? [];
    const onFile = calls.filter(({ given }) => given.includes(`<${temporary}>`));
    const written = onFile.findLast(({ name }) => /write/.test(name));
    const synced = onFile.find(isSync);
    assert.ok(named && written && synced);
    assert.ok(written.returnedAt < synced.beganAt && synced.returnedAt < named.beganAt);
  },
);

test(
  'power loss: before the first 202, the names of the first start’s folders, of the database and of its log are synced',
  traced,
  async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'new', 'data');
    const calls = await callsOf(dataDir, '--role all', create);
    const answer = calls.find(({ given }) => given.includes('"HTTP/1.1 202 '));
    assert.ok(answer);
    for (const path of ['.', 'images', databaseFile, logFile]
      .map((name) => join(dataDir, name))
      .concat(dirname(dataDir))) {
      const made = calls.find(
        ({ name, given, returned }) =>
          given.includes(`"${path}"`) && returned >= 0 && (name === 'mkdir' || given.includes('O_CREAT')),
      );
      assert.ok(made, `${path} was made`);
      const kept = calls.find(
        (call) => isSync(call) && call.given.includes(`<${dirname(path)}>`) && call.beganAt > made.returnedAt,
      );
      assert.ok(kept && kept.returnedAt < answer.beganAt, `the name of ${path} was kept before the answer`);
    }
  },
);

test(
  'power loss: what a failed sync of the log may have lost is in the database before it is reported',
  traced,
  async () => {
    using folder = temporaryFolder();
    await using server = await startUnsynced(folder.path);
    const jobIds = [await create(server)];
    jobIds.push(...(await Promise.all(Array.from({ length: 8 }, () => create(server)))));
    await endNow(server.child);
    assert.deepEqual(await jobsAfterPowerLoss(folder.path, 0), jobIds.sort());
  },
);

test(
  'power loss: a log that cannot be emptied because of a reader does not count as safe',
  traced,
  async () => {
    using folder = temporaryFolder();
    await using server = await startUnsynced(folder.path);
    const reader = new DatabaseSync(join(folder.path, databaseFile));
    reader.exec('begin; select count(*) from jobs');
    const same = { 'idempotency-key': 'asked-for-twice' };
    const refused = await server.send('POST', '/nb/text-generations', text, same);
    assert.deepEqual([refused.status, refused.body.code], [503, 'database_unavailable']);

    reader.close();
    const taken = await server.send('POST', '/nb/text-generations', text, same);
    assert.equal(taken.status, 202);
    await endNow(server.child);
    assert.deepEqual(await jobsAfterPowerLoss(folder.path, 0), [taken.body.job_id]);
  },
);

test('power loss: a folder that is synced while its new image is being written contains the image’s name', async () => {
  using folder = temporaryFolder();
  const trace = join(folder.path, 'calls');
  const [place, image] = ['/data/images/results/a-job', '/data/images/results/a-job/1.png'];
  const calls = [
    `1 openat(AT_FDCWD</data>, "${image}", O_WRONLY|O_CREAT|O_EXCL, 0600) = 7<${image}>`,
    `2 fsync(8<${place}> <unfinished ...>`,
    `1 write(7<${image}>, "\\x00", 1) = 1`,
    '2 <... fsync resumed>) = 0',
    `1 fdatasync(7<${image}>) = 0 (DELAYED)`,
  ];
  writeFileSync(trace, calls.join('\n'));
  const images = new Images();
  const kept = (await readTrace(trace, [databaseFile])).map((step) => {
    images.take(step);
    return images.has('a-job');
  });
  assert.deepEqual(kept, [false, false, false, true]);
});

test('power loss: at any moment under load, with slow syncs, everything reported survives, whatever happens to unsynced writes', {
  skip: noTracing,
  timeout: 240_000,
}, async () => {
  const { acknowledged, done, violations } = await runPowerCuts({
    seed: 3,
    creates: 60,
    cuts: 60,
    syncMs: 5,
  });
  assert.deepEqual(violations, []);
  assert.deepEqual([acknowledged, done], [60, 60]);
});

test(
  'power loss: while syncs fail, requests get 503, and their repetitions are later done once',
  traced,
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path);
    const first = await create(server);
    const attach = `exec strace -f -o /dev/null -p ${server.child.pid}`;
    const tracer = spawn('/bin/sh', ['-c', `${attach} ${failing('fsync,fdatasync', folder.path)}`]);
    const [attached] = await once(tracer.stderr, 'data');
    assert.match(String(attached), /attached/);
    tracer.stderr.resume();

    const same = { 'idempotency-key': 'asked-for-twice' };
    const refused = await server.send('POST', '/nb/text-generations', text, same);
    assert.deepEqual([refused.status, refused.body.code], [503, 'database_unavailable']);
    const unsure = await server.send('GET', `/jobs/${first}`);
    assert.deepEqual([unsure.status, unsure.body.code], [503, 'database_unavailable']);

    await endNow(tracer, 'SIGINT');
    const taken = await server.send('POST', '/nb/text-generations', text, same);
    assert.equal(taken.status, 202);
    const done = await server.send('GET', `/jobs/${taken.body.job_id}`, undefined, { prefer: 'wait=30' });
    assert.equal(done.body.status, 'done');
    await endNow(server.child);
    const kept = await jobsAfterPowerLoss(folder.path, statSync(join(folder.path, logFile)).size);
    assert.deepEqual(kept, [first, taken.body.job_id].sort());
  },
);

function startUnsynced(dataDir: string): Promise<RealServer> {
  const shell = (command: string) =>
    `exec strace -D -f -qq -o /dev/null ${failing('fdatasync', dataDir)} ${command} --role api`;
  return startServer(dataDir, { shell });
}

async function callsOf(
  dataDir: string,
  options: string,
  work: (server: RealServer) => Promise<unknown>,
): Promise<TracedCall[]> {
  using traces = temporaryFolder();
  const trace = join(traces.path, 'calls');
  const shell = (command: string) => tracing(trace)(`${command} ${options}`);
  await using server = await startServer(dataDir, { shell });
  await work(server);
  await endNow(server.child);
  return await readCalls(trace, server.child.pid ?? 0);
}

function failing(calls: string, dataDir: string): string {
  const files = [databaseFile, logFile].map((name) => `-P ${join(dataDir, name)}`);
  return `${files.join(' ')} -e trace=${calls} -e inject=${calls}:error=EIO`;
}

function madeImages(calls: readonly TracedCall[]): Map<string, number> {
  const made = calls.flatMap(({ name, given, beganAt }): [string, number][] => {
    const path = /"([^"]*\/results\/[^"]*\.png)", [^"]*O_CREAT/.exec(given)?.[1];
    return path !== undefined && name === 'openat' ? [[path, beganAt]] : [];
  });
  return new Map(made);
}

/**
 * The time from which the image survives: its file was synced after the write, its folder after the file's creation,
 * and the folders above at any time.
 */
function keptFrom(calls: readonly TracedCall[], path: string, madeAt: number): number {
  const syncedAt = (file: string, since: number) =>
    calls.find((call) => isSync(call) && call.given.includes(`<${file}>`) && call.beganAt > since)
      ?.returnedAt ?? Number.POSITIVE_INFINITY;
  const writes = calls.filter(({ name, given }) => /write/.test(name) && given.includes(`<${path}>`));
  const writtenAt = writes.at(-1)?.returnedAt ?? Number.POSITIVE_INFINITY;
  const folder = dirname(path);
  const above = [dirname(folder), dirname(dirname(folder))].map((each) => syncedAt(each, 0));
  return Math.max(syncedAt(path, writtenAt), syncedAt(folder, madeAt), ...above);
}

async function create(server: RealServer): Promise<unknown> {
  const { status, body } = await server.send('POST', '/nb/text-generations', text);
  assert.equal(status, 202);
  return body.job_id;
}

function isOn(file: string): (call: TracedCall) => boolean {
  return ({ given }) => given.includes(`/${file}>`);
}

function isSync({ name, returned }: TracedCall): boolean {
  return (name === 'fsync' || name === 'fdatasync') && returned === 0;
}

function syncedBytes(calls: readonly TracedCall[]): number {
  const ofLog = calls.filter(isOn(logFile));
  const syncedAt = ofLog.findLast(isSync)?.beganAt ?? 0;
  const ends = ofLog
    .filter(({ name, returnedAt }) => name === 'pwrite64' && returnedAt < syncedAt)
    .map(({ given, returned }) => Number(/, (\d+)$/.exec(given)?.[1]) + returned);
  return Math.max(0, ...ends);
}

async function jobsAfterPowerLoss(dataDir: string, logBytes: number): Promise<string[]> {
  using left = temporaryFolder();
  copyFileSync(join(dataDir, databaseFile), join(left.path, databaseFile));
  writeFileSync(join(left.path, logFile), readFileSync(join(dataDir, logFile)).subarray(0, logBytes));
  await using database = await connect({ url: undefined, dataDir: left.path, clock: systemClock });
  assert.deepEqual(await findViolations(database.read), []);
  const jobs = await database.read.selectFrom('jobs').select('id').orderBy('id').execute();
  return jobs.map(({ id }) => id);
}
