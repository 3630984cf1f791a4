import { pauseJobs, resumeJobs } from '../admission/pause-jobs.ts';
import { listPauses, type PauseScope } from '../admission/pause-store.ts';
import type { Actor } from '../audit/audit-store.ts';
import { assertKnownModel, readCatalogue } from '../catalog/catalogue.ts';
import type { Database } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import type { Clock } from '../std/clock.ts';
import { toIso, toIsoOrNull } from '../std/iso-time.ts';

/** Pauses of a model, or of `project`: everything. */
export function pauseVerbs(deps: { database: Database; clock: Clock }, by: Actor) {
  const { database } = deps;
  return {
    async listPauses() {
      const pauses = await listPauses(database.read);
      return pauses.map((one) => ({ ...one, until: toIsoOrNull(one.until), since: toIso(one.since) }));
    },
    /** `for` so many seconds; until resumed when left out. */
    async pause(scope: PauseScope, { reason, for: seconds }: { reason?: string; for?: number } = {}) {
      await assertScope(database, scope);
      // It ends by the clock of the database, whatever that of this host says.
      const until = seconds === undefined ? null : (await readNow(database.read)) + seconds * 1000;
      await pauseJobs(deps, { scope, reason: reason ?? null, until }, by);
    },
    async resume(scope: PauseScope) {
      await assertScope(database, scope);
      await resumeJobs(deps, { scope }, by);
    },
  };
}

async function assertScope(database: Database, scope: PauseScope): Promise<void> {
  if (scope !== 'project') assertKnownModel(await readCatalogue(database.read), scope, '/model');
}
