import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFaults } from '../../faults/run-faults.ts';

const database = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite';

test('a short run of every kind of fault loses nothing and counts nothing twice', async () => {
  const report = await runFaults({ database, seed: 7, minutes: 0.3, jobs: 120, faults: 10 });
  assert.deepEqual(report.violations, []);
  assert.equal(report.injected.length, 10);
  assert.ok(
    report.load.acknowledged.size >= 100,
    `${report.load.acknowledged.size} creates were acknowledged`,
  );
});

test('kill -9 ten times in a row under load: every acknowledged create is there and ends', async () => {
  const report = await runFaults({ database, seed: 8, minutes: 0.4, jobs: 120, faults: 10, only: 'kill' });
  assert.deepEqual(report.violations, []);
  assert.equal(report.exits.filter(({ how }) => how === 'SIGKILL').length, 10);
  assert.equal(report.counts['acknowledged creates lost'], 0);
});
