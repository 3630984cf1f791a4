import { type Actor, insertAuditEntry } from '../accounts/audit-store.ts';
import type { Database } from '../db/database.ts';
import { toIsoOrNull } from '../std/iso-time.ts';
import { type PauseScope, pause, resume } from './pause-store.ts';

/**
 * Stops accepting jobs of a model, or all jobs, until an operator resumes them or the pause ends by itself.
 */
export async function pauseJobs(
  { database }: { database: Database },
  { scope, reason, until }: { scope: PauseScope; reason: string | null; until: number | null },
  by: Actor,
): Promise<void> {
  const detail = { reason, until: toIsoOrNull(until) };
  await database.transaction(async (tx) => {
    await pause(tx, { scope, reason, until });
    await insertAuditEntry(tx, by, { action: 'pause.started', accountId: null, subject: scope, detail });
  });
}

export async function resumeJobs(
  { database }: { database: Database },
  { scope }: { scope: PauseScope },
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const { wasPaused } = await resume(tx, scope);
    const entry = { action: 'pause.ended', accountId: null, subject: scope, detail: {} };
    if (wasPaused) await insertAuditEntry(tx, by, entry);
  });
}
