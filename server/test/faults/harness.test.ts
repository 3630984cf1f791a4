import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFaults } from '../../faults/run-faults.ts';

// With PostgreSQL, the run starts a separate server. `every-fault.test.ts` has longer runs.
const database = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite';

test('kill -9 four times in a row under load: every acknowledged create exists and its job ends', async () => {
  const report = await runFaults({
    database,
    seed: 8,
    minutes: 0.2,
    jobs: 60,
    faults: 4,
    only: ['kill'],
  });
  assert.deepEqual(report.violations, []);
  assert.equal(report.exits.filter(({ how }) => how === 'SIGKILL').length, 4);
  assert.equal(report.counts['acknowledged creates lost'], 0);
});
