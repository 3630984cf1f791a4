import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { eventually } from '../http/support/requests.ts';
import { onePixelPng } from '../inputs/support/images.ts';
import { openWorld } from '../world/world.ts';
import { doorsUnderTest, type Told, type Wish } from './conformance-doors.ts';

// Fetching inputs takes longer than clients wait, so a repetition arrives before there is a job.
const world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
after(() => world[Symbol.asyncDispose]());
const fetches: ServerResponse[] = [];
const stranger = createServer((_, response) => fetches.push(response));
await once(stranger.listen(0, '127.0.0.9'), 'listening');
after(() => stranger.close());
const { port } = stranger.address() as AddressInfo; // it listens on a port
let wishes = 0;

for (const door of doorsUnderTest) {
  describe(`the door ${door.name}`, () => {
    test('gives a repetition the image of a request whose inputs are still being fetched', async (t) => {
      const wish = newWish();
      const first = door.make(world, wish);
      await fetched(1);
      const looks = watchLooks(t);
      const repeated = door.make(world, { ...wish, repeats: 1 });
      await looks(2);
      sendImages();
      const told = await Promise.all([first, repeated]);
      for (const { made, words } of told) assert.ok(made, words);
      assert.equal(idOf(told[1]), idOf(told[0]));
      assert.deepEqual([(await jobsOf(wish)).length, fetches.length], [1, 1]);
    });

    test('lets the repetition fetch the inputs itself once the first request is given up', async (t) => {
      const wish = newWish();
      const leaving = new AbortController();
      const first = assert.rejects(door.make(world, { ...wish, signal: leaving.signal }));
      await fetched(1);
      const looks = watchLooks(t);
      const repeated = door.make(world, { ...wish, repeats: 1 });
      await looks(2);
      leaving.abort();
      await first;
      await fetched(2);
      sendImages();
      const { made, words } = await repeated;
      assert.ok(made, words);
      assert.equal((await jobsOf(wish)).length, 1);
      assert.deepEqual(await unanswered(), []);
    });

    test('waits neither for a process that has ended, nor for another client’s equal request', async () => {
      const wish = newWish();
      const first = door.make(world, wish);
      await fetched(1);
      const equal = door.make(world, wish);
      await fetched(2);
      await world.app.database.transaction((tx) =>
        tx.updateTable('unanswered_requests').set({ process: '0' }).execute(),
      );
      const repeated = door.make(world, { ...wish, repeats: 1 });
      await fetched(3);
      sendImages();
      const told = await Promise.all([first, equal, repeated]);
      assert.equal(new Set(told.map(idOf)).size, 3);
    });
  });
}

/** The id in the answer itself. Headers cannot name it if they were sent before the job was accepted, as in MCP. */
function idOf({ jobId, named, words }: Told): string {
  return jobId ?? named ?? assert.fail(words);
}

function newWish(): Wish {
  fetches.length = 0;
  wishes += 1;
  return { prompt: `fox number ${wishes}`, links: [`http://127.0.0.9:${port}/${wishes}.png`] };
}

function fetched(count: number) {
  return eventually(
    async () => fetches.length,
    (length) => length >= count,
  );
}

function sendImages(): void {
  for (const response of fetches) response.end(onePixelPng);
}

function watchLooks(t: { mock: typeof import('node:test').mock }) {
  const { mock } = t.mock.method(world.app.database, 'isRunning');
  return (count: number) =>
    eventually(
      async () => mock.callCount(),
      (calls) => calls >= count,
    );
}

async function jobsOf({ prompt }: Wish): Promise<string[]> {
  const { read } = world.app.database;
  const rows = await read.selectFrom('jobs').select('id').where('prompt', '=', prompt).execute();
  return rows.map(({ id }) => id);
}

async function unanswered() {
  return eventually(
    () => world.app.database.read.selectFrom('unanswered_requests').select('job_id').execute(),
    ({ length }) => length === 0,
  );
}
