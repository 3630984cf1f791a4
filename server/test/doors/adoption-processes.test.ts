import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../http/support/requests.ts';
import { openInstallation } from '../processes/support/installation.ts';
import type { ServerProcess } from '../processes/support/server-process.ts';
import { createDatabase } from '../world/databases.ts';
import { doorsUnderTest } from './conformance-doors.ts';

// SQLite has one process at a time. On PostgreSQL, the repetition reaches another process that has run all along.
const database = await createDatabase();
const place = await openInstallation(database);
after(() => place[Symbol.asyncDispose]());
const [door = assert.fail()] = doorsUnderTest;
const { key } = await place.account(1_000_000n);

test('the repetition finds the image even if the process was killed before it noticed that the client left', async () => {
  // The images are made only by a process that starts after the kill.
  await using first = await place.start('api');
  await using other = database && (await place.start('api'));
  const asked = doorsUnderTest.map((door) => door.make({ url: first.url, key }, wishOf(door.name)));
  const lost = asked.map((one) => assert.rejects(one));
  const ids = (await eventually(listJobs, (jobs) => jobs.length === asked.length)).map(({ id }) => id);
  first.signal('SIGKILL');
  await Promise.all(lost);
  await using maker = await place.start(other ? 'worker' : 'all');
  const second = other ?? maker;
  assert.deepEqual((await repeat(second)).sort(), ids.sort());
  assert.deepEqual(
    (await repeat(second)).filter((id) => ids.includes(id)),
    [],
  );
});

test('two equal requests in two processes make two images', { skip: !database }, async () => {
  await using _worker = await place.start('worker');
  await using one = await place.start('api');
  await using other = await place.start('api');
  const ask = ({ url }: ServerProcess) => door.make({ url, key }, { prompt: '[[delay:3s]] twins' });
  const { length: earlier } = await listJobs();
  const first = ask(one);
  await eventually(listJobs, (jobs) => jobs.length > earlier);
  const told = await Promise.all([first, ask(other)]);
  assert.notEqual(told[0].named, told[1].named);
});

async function repeat({ url }: ServerProcess): Promise<string[]> {
  const told = await Promise.all(doorsUnderTest.map((door) => door.make({ url, key }, wishOf(door.name))));
  for (const { made, words } of told) assert.ok(made, words);
  return told.map(({ named = '' }) => named);
}

function wishOf(name: string) {
  return { prompt: `for ${name}` };
}

function listJobs() {
  return place.database.read.selectFrom('jobs').select('id').orderBy('id').execute();
}
