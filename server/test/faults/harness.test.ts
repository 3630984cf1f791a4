import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { runFaults } from '../../faults/run-faults.ts';

// Told to use PostgreSQL, each run starts one of its own, because it stops that and kills it.
const database = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite';

// Side by side: most of their time is waiting for leases of dead workers to run out.
suite('the fault harness', { concurrency: true }, () => {
  test('a short run of every kind of fault loses nothing and counts nothing twice', async () => {
    const report = await runFaults({ database, seed: 7, minutes: 0.2, jobs: 120, faults: 10 });
    assert.deepEqual(report.violations, []);
    assert.equal(report.injected.length, 10);
    assert.ok(
      report.load.acknowledged.size >= 80,
      `${report.load.acknowledged.size} creates were acknowledged`,
    );
  });

  test('kill -9 ten times in a row under load: every acknowledged create is there and ends', async () => {
    const report = await runFaults({ database, seed: 8, minutes: 0.2, jobs: 120, faults: 10, only: 'kill' });
    assert.deepEqual(report.violations, []);
    assert.equal(report.exits.filter(({ how }) => how === 'SIGKILL').length, 10);
    assert.equal(report.counts['acknowledged creates lost'], 0);
  });
});
