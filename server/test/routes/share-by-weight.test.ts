import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Route } from '../../src/jobs/routes/route.ts';
import { shareByWeight } from '../../src/jobs/routes/share-by-weight.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';
import { pretendedRoute } from './support.ts';

// The same accounts in every run: the shares of random ones would sometimes be far off.
const accounts = Array.from({ length: 10_000 }, (_, index) => `account ${index}`);
const route = (name: string, weight?: number) =>
  pretendedRoute(`nb2/${name}`, weight === undefined ? {} : { weight });

const orderOf = (routes: readonly Route[], account: string) =>
  shareByWeight(routes, account).map(({ id }) => id.slice('nb2/'.length));

/** The route that each account's jobs try first. */
const firsts = (routes: readonly Route[]) => accounts.map((account) => orderOf(routes, account)[0] ?? '');

const shareOf = (name: string, chosen: readonly string[]) =>
  chosen.filter((one) => one === name).length / chosen.length;

const moved = (before: readonly string[], after: readonly string[]) =>
  after.filter((name, index) => name !== before[index]).length / after.length;

/** Three standard deviations of a share among 10,000 are below 0.015. */
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 0.015, `${actual}`);

suite('weights', () => {
  test('divide the accounts in proportion', () => {
    const even = firsts([route('a', 1), route('b', 1)]);
    near(shareOf('a', even), 1 / 2);
    const uneven = firsts([route('a', 1), route('b', 3), route('c', 4)]);
    for (const [name, share] of [['a', 1 / 8] as const, ['b', 3 / 8] as const, ['c', 1 / 2] as const])
      near(shareOf(name, uneven), share);
    // Only the proportion of weights matters.
    const large = firsts([route('a', 100), route('b', 300), route('c', 400)]);
    near(shareOf('b', large), 3 / 8);
  });

  test('keep an account on its route, whatever the order of the routes', () => {
    const routes = [route('a', 2), route('b', 3)];
    assert.deepEqual(firsts(routes), firsts(routes.toReversed()));
  });

  test('move only as many accounts as necessary when they change', () => {
    const before = firsts([route('a', 1), route('b', 1)]);
    const after = firsts([route('a', 1), route('b', 2)]);
    near(moved(before, after), 2 / 3 - 1 / 2);
    assert.ok(
      after.every((name, index) => name === 'b' || name === before[index]),
      'none goes to a route whose share shrinks',
    );
  });

  test('leave all other accounts on their routes when a route is added or removed', () => {
    const two = firsts([route('a', 1), route('b', 1)]);
    const three = firsts([route('a', 1), route('b', 1), route('c', 2)]);
    assert.ok(three.every((name, index) => name === 'c' || name === two[index]));
    near(moved(two, three), 1 / 2);
  });

  test('count only among neighbours: routes without a weight keep their rank', () => {
    for (const account of accounts.slice(0, 100)) {
      const order = orderOf([route('first'), route('a', 1), route('b', 9), route('last')], account);
      assert.deepEqual([order[0], order[3]], ['first', 'last']);
      const apart = orderOf([route('a', 1), route('between'), route('b', 9)], account);
      assert.deepEqual(apart, ['a', 'between', 'b']);
    }
    const other = { ...route('b', 9), model: 'pro' };
    assert.deepEqual(shareByWeight([route('a', 1), other], accounts[0] ?? '').length, 2);
  });

  test('make all of an account’s jobs run on its route, and on the other one when it fails', async () => {
    const providers = { a: new TestProvider(), b: new TestProvider() };
    const routes = [
      { ...route('a', 1), provider: providers.a },
      { ...route('b', 1), provider: providers.b },
    ];
    await using world = await openWorld({ replacements: { routes } });
    const own = orderOf(routes, world.accountId)[0] === 'a' ? providers.a : providers.b;
    const other = own === providers.a ? providers.b : providers.a;
    for (let count = 0; count < 6; count++) await world.finished(await world.create());
    assert.deepEqual([own.requests.length, other.requests.length], [6, 0]);

    own.handler = async () => {
      throw new Error('broken');
    };
    assert.equal((await world.finished(await world.create())).status, 'done');
    assert.equal(other.requests.length, 1);
  });
});
