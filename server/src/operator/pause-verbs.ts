import { commandLine } from '../accounts/audit-store.ts';
import { pauseJobs, resumeJobs } from '../admission/pause-jobs.ts';
import type { PauseScope } from '../admission/pause-store.ts';
import { assertKnownModel, readCatalogue } from '../catalog/catalogue.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../std/clock.ts';

export function pauseVerbs(deps: { database: Database; clock: Clock }) {
  return {
    async pause({ scope, reason, forMs }: { scope: PauseScope; reason?: string; forMs?: number }) {
      await assertScope(deps.database, scope);
      const until = forMs === undefined ? null : deps.clock.nowMs() + forMs;
      await pauseJobs(deps, { scope, reason: reason ?? null, until }, commandLine);
    },
    resume: ({ scope }: { scope: PauseScope }) => resumeJobs(deps, { scope }, commandLine),
  };
}

async function assertScope(database: Database, scope: PauseScope): Promise<void> {
  if (scope !== 'project') assertKnownModel(await readCatalogue(database.read), scope, '/model');
}
