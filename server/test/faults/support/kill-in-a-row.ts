import assert from 'node:assert/strict';
import { runFaults } from '../../../faults/run-faults.ts';

// With PostgreSQL, each run starts a separate server, because it stops and kills it.
export const database = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite';

/** Kills processes under a load of creates, and asserts that each acknowledged job exists and ends. */
export async function killInARow(kills: number, jobs: number): Promise<void> {
  const report = await runFaults({ database, seed: 8, minutes: 0.2, jobs, faults: kills, only: ['kill'] });
  assert.deepEqual(report.violations, []);
  assert.equal(report.exits.filter(({ how }) => how === 'SIGKILL').length, kills);
  assert.equal(report.counts['acknowledged creates lost'], 0);
}
