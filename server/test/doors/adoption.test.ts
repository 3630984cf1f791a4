import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { failure } from '../../src/upstream/providers/failure.ts';
import { eventually } from '../http/support/requests.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';
import { doorsUnderTest, type Server, type Told, type Wish } from './conformance-doors.ts';

// Clients of other APIs retry automatically and send no key. An image is paid for once, and the retry gets it.
const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
let go = Promise.withResolvers<void>();
beforeEach(() => {
  go = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await go.promise;
    return world.provider.answer(request);
  };
});

const png = plainPng(64, 48).toString('base64');
const second = 1_000;
/** How long a repetition waits if an earlier equal request may have been given up, as in `open-unanswered.ts`. */
const graceMs = 250;
let wishes = 0;

for (const door of doorsUnderTest) {
  describe(`the door ${door.name}`, () => {
    const ask = (wish: Wish, server: Server = world) => door.make(server, wish);

    test('gives an abandoned request’s image to the same request, and to no other', async () => {
      const wish = newWish();
      await leave(wish);
      const { key } = await world.account(`another at ${door.name}`, { creditMicros: 1_000_000n });
      go.resolve();
      const others = [ask({ ...wish, prompt: `${wish.prompt}!` }), ask(wish, { url: world.url, key })];
      const repeated = await ask(wish);
      assert.ok(repeated.made, repeated.words);
      const again = await ask(wish);
      const ids = [repeated, again, ...(await Promise.all(others))].map(({ named }) => named);
      assert.equal(new Set(ids).size, 4);
      assert.equal((await jobsOf(wish)).length, 3);
      assert.ok((await jobsOf(wish)).includes(repeated.named ?? ''));
    });

    test('makes two images for two equal requests at once, and one if the client says that it repeats', async () => {
      const wish = newWish();
      const both = [ask(wish), ask(wish)];
      await eventually(
        () => jobsOf(wish),
        ({ length }) => length === 2,
      );
      // Each job may be adopted once; the third repeat is one too many.
      const repeats = [1, 1, 1].map((repeats) => ask({ ...wish, repeats }));
      await eventually(
        () => jobsOf(wish),
        ({ length }) => length === 3,
      );
      const later = [ask({ ...wish, repeats: 2 })];
      await eventually(
        () => unansweredOf(wish),
        (found) => found.some(({ repeats }) => repeats === 2),
      );
      go.resolve();
      const told = await Promise.all([...both, ...repeats, ...later]);
      assert.equal(new Set(told.map(({ named }) => named)).size, 3);
      assert.equal((await jobsOf(wish)).length, 3);
    });

    test('gives the image to a repetition that arrives before the first client was seen to leave', async () => {
      const wish = newWish();
      const leaving = new AbortController();
      const asked = ask({ ...wish, signal: leaving.signal });
      await eventually(
        () => jobsOf(wish),
        ({ length }) => length === 1,
      );
      leaving.abort();
      const repeated = ask(wish);
      await assert.rejects(asked);
      go.resolve();
      assert.deepEqual([(await repeated).made, (await jobsOf(wish)).length], [true, 1]);
    });

    test('accepts an equal request that comes soon after as quickly as the first', async () => {
      // None of the requests waits for long enough to be given up.
      await using _held = await world.hold();
      let quickestMs = Number.POSITIVE_INFINITY;
      const asked: Promise<Told>[] = [];
      const startMs = async (wish: Wish, nth: number) => {
        const askedAt = performance.now();
        asked.push(ask(wish));
        await eventually(
          () => jobsOf(wish),
          ({ length }) => length === nth,
        );
        return performance.now() - askedAt;
      };
      // A request that waits for an older one always takes longer; a busy machine only delays some.
      for (let tries = 0; tries < 20 && quickestMs >= graceMs; tries++) {
        const wish = newWish();
        await startMs(wish, 1);
        quickestMs = Math.min(quickestMs, await startMs(wish, 2));
      }
      go.resolve();
      await Promise.all(asked);
      assert.ok(quickestMs < graceMs, `${Math.round(quickestMs)} ms`);
    });

    test('gives it once if two repetitions come at once', async () => {
      const wish = newWish();
      await leave(wish);
      go.resolve();
      const [one, other] = await Promise.all([ask(wish), ask(wish)]);
      assert.notEqual(one.named, other.named);
      assert.equal((await jobsOf(wish)).length, 2);
    });

    test('tells the repetition that the job failed, and tries again after that', async () => {
      const wish = newWish();
      world.provider.handler = async () => {
        await go.promise;
        throw failure('invalid_input');
      };
      await leave(wish);
      go.resolve();
      const [failed = ''] = await jobsOf(wish);
      const repeated = await ask(wish);
      assert.deepEqual([repeated.made, repeated.named], [false, failed]);
      world.provider.handler = async (request) => world.provider.answer(request);
      const again = await ask(wish);
      assert.ok(again.made);
      assert.notEqual(again.named, failed);
    });

    test('keeps the image for ten minutes', async () => {
      const [kept, late] = [newWish(), newWish()];
      await using _held = await world.hold();
      for (const wish of [kept, late]) await leave(wish);
      go.resolve();
      for (const wish of [kept, late]) for (const id of await jobsOf(wish)) await world.finished(id);
      await world.elapse(599 * second);
      await ask(kept);
      assert.equal((await jobsOf(kept)).length, 1);
      await world.elapse(2 * second);
      await eventually(
        () => unansweredOf(late),
        ({ length }) => length === 0,
      );
      await ask(late);
      assert.equal((await jobsOf(late)).length, 2);
    });

    if (door.takesImages)
      test('recognizes images by their content', async () => {
        const other = plainPng(48, 64).toString('base64');
        const wish = { ...newWish(), images: [png, png] };
        await leave(wish);
        go.resolve();
        await ask({ ...wish, images: [png, other] });
        assert.equal((await jobsOf(wish)).length, 2);
        await ask(wish);
        assert.equal((await jobsOf(wish)).length, 2);
      });

    async function leave(wish: Wish): Promise<void> {
      const leaving = new AbortController();
      const asked = ask({ ...wish, signal: leaving.signal });
      await eventually(
        () => jobsOf(wish),
        ({ length }) => length > 0,
      );
      leaving.abort();
      await assert.rejects(asked);
      await eventually(
        () => unansweredOf(wish),
        (found) => found.some(({ waiter }) => waiter === null),
      );
    }
  });
}

function newWish(): Wish {
  wishes += 1;
  return { prompt: `fox number ${wishes}` };
}

async function jobsOf({ prompt }: Wish): Promise<string[]> {
  const { read } = world.app.database;
  const rows = await read.selectFrom('jobs').select('id').where('prompt', '=', prompt).execute();
  return rows.map(({ id }) => id);
}

async function unansweredOf(wish: Wish) {
  const ids = await jobsOf(wish);
  const { read } = world.app.database;
  return read.selectFrom('unanswered_requests').selectAll().where('job_id', 'in', ids).execute();
}
