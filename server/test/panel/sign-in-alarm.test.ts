import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followClock } from '../../src/base/db/follow-clock.ts';
import { createRecordingLog } from '../http/support/recording-log.ts';
import { recordTime } from '../world/record-time.ts';
import { openWorld } from '../world/world.ts';
import { Browser, openMember, openOperator } from './browser.ts';

test('many failed sign-ins raise the alarm once: in the log, in the metrics, and only for operators', async () => {
  const log = createRecordingLog();
  await using world = await openWorld({ replacements: { log } });
  const operator = await openOperator(world);
  const member = await openMember(world, { email: 'grace@example.com' });
  const problems = async (browser: Browser) =>
    (await browser.call('GET /panel/accounts/:account_id/overview')).problems.map(({ kind }) => kind);
  const alarms = () => log.lines.filter((line) => line.startsWith('sign_in.many_failures '));
  const guess = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const body = { email: `person-${index}@example.com`, password: 'a wrong password' };
      const { status } = await new Browser(world).try('POST /panel/sign-in', { body });
      assert.ok(status === 401 || status === 429);
    }
  };

  await guess(29);
  assert.deepEqual([alarms().length, (await problems(operator)).includes('sign_ins_failing')], [0, false]);
  await guess(6);
  assert.deepEqual(alarms(), [
    'sign_in.many_failures {"failures":30,"minutes":10,"last_address":"127.0.0.1"}',
  ]);
  assert.match(await (await fetch(`${world.url}/metrics`)).text(), /^darkroom_sign_in_failures 35$/m);
  assert.ok((await problems(operator)).includes('sign_ins_failing'));
  assert.equal((await operator.call('GET /admin/v1/server')).sign_in_failures, 35);
  assert.ok(!(await problems(member)).includes('sign_ins_failing'));

  await world.elapse(11 * 60_000);
  assert.ok(!(await problems(operator)).includes('sign_ins_failing'), 'and it is over');
  await guess(30);
  assert.equal(alarms().length, 2);
  assert.ok((await problems(operator)).includes('sign_ins_failing'));

  const { database } = world.app;
  await recordTime(world);
  await world.jump(-60 * 60_000);
  await followClock(database);
  assert.ok(
    !(await problems(operator)).includes('sign_ins_failing'),
    'nor for an hour after a clock was wrong',
  );
});
