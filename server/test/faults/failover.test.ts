import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listServerUrls } from '../../src/base/db/postgres/servers.ts';
import { failOver, loseTail } from './support/fail-over.ts';

const withinMs = 5_000;

test('a primary that dies under load loses and doubles nothing, and is not written to when it is back', {
  skip: !process.env.TEST_DATABASE_URL,
}, async (t) => {
  const { acknowledged, backMs, ...wrong } = await failOver();
  t.diagnostic(`${acknowledged} creates acknowledged, back ${Math.round(backMs)} ms after the promotion`);
  assert.deepEqual(wrong, { lost: 0, doubled: 0, onOldPrimary: 0 });
  assert.ok(backMs < withinMs, `${backMs} ms`);
});

test('a primary that dies before its standby has received everything loses only the rest: the ledger is right, and repeated creates exist once', {
  skip: !process.env.TEST_DATABASE_URL,
}, async (t) => {
  const { received, tail, tailLost, ...wrong } = await loseTail();
  t.diagnostic(`${received} creates were received and kept, ${tailLost} of the ${tail} after them lost`);
  assert.deepEqual(wrong, { receivedLost: 0, doubled: 0, violations: [] });
  assert.ok(received >= 100 && tailLost > 0, 'there was something to keep, and something to lose');
});

test('an address may name several servers, of which only a writable one is used', () => {
  assert.deepEqual(
    listServerUrls('DATABASE_URL', 'postgres://me:a%40b@one,two:5433/name?target_session_attrs=read-write'),
    [
      'postgres://me:a%40b@one/name?target_session_attrs=read-write',
      'postgres://me:a%40b@two:5433/name?target_session_attrs=read-write',
    ],
  );
  assert.deepEqual(listServerUrls('DATABASE_URL', 'postgres://me@one/a,b'), ['postgres://me@one/a,b']);
  assert.throws(
    () => listServerUrls('DATABASE_URL', 'postgres://one,two/name?target_session_attrs=standby'),
    /target_session_attrs=standby, and Darkroom writes/,
  );
});
