import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { nameOf } from '../../faults/plan.ts';
import { runFaults } from '../../faults/run-faults.ts';
import { database, killInARow } from './support/kill-in-a-row.ts';

// Fewer if mounting or tracing is not allowed.
const leastFaults = 25;

// Concurrent, because the tests mostly wait for dead workers' leases to expire.
suite('the fault harness', { concurrency: true }, () => {
  test('a run with one fault of each kind loses nothing and counts nothing twice', async (t) => {
    const report = await runFaults({ database, seed: 7, minutes: 0.5, jobs: 200, faults: 'each' });
    assert.deepEqual(report.violations, []);
    const names = new Set(report.injected.map(({ fault }) => nameOf(fault)));
    t.diagnostic(
      `${names.size} faults in ${Math.round(report.ms / 1_000)} s; ${JSON.stringify(report.surroundings)}`,
    );
    assert.ok(names.size >= leastFaults, `only ${[...names]}`);
    assert.ok(
      report.load.acknowledged.size >= 120,
      `${report.load.acknowledged.size} creates were acknowledged`,
    );
  });

  test('a process that does not return in time is a finding of the run, and does not end it', async () => {
    const backWithinMs = 1; // no process starts this fast
    const options = { database, seed: 9, minutes: 0.1, jobs: 20, only: ['kill'], backWithinMs } as const;
    const report = await runFaults({ ...options, faults: 3 });
    assert.equal(report.injected.length, 3);
    assert.match(String(report.violations), /was not back within 1 ms/);
    assert.ok((report.counts['jobs done'] ?? 0) > 0);
  });

  test('kill -9 ten times in a row under load: every acknowledged create exists and its job ends', () =>
    killInARow(10, 120));
});
