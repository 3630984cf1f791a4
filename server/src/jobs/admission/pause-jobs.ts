import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { isUuid, newId } from '../../base/std/ids.ts';
import { toIsoOrNull } from '../../base/std/iso-time.ts';
import { changeIncident, endIncident, insertIncident } from '../incidents/incident-store.ts';
import { type Pause, type PauseScope, pause, resume } from './pause-store.ts';

export async function pauseJobs(
  { database }: { database: Database },
  { scope, reason, until }: { scope: PauseScope; reason: string | null; until: number | null },
  by: Actor,
): Promise<void> {
  await database.transaction((tx) => pauseIn(tx, { scope, reason, until }, by));
}

export async function pauseIn(
  tx: Tx,
  { scope, reason, until }: { scope: PauseScope; reason: string | null; until: number | null },
  by: Actor,
): Promise<void> {
  const before = await pause(tx, { scope, reason, until });
  await tellIncident(tx, { scope, reason, until, isNew: !before });
  const detail = { reason, until: toIsoOrNull(until), ...(before && asBefore(before)) };
  await insertAuditEntry(tx, by, {
    action: 'pause.started',
    accountId: null,
    subject: scope,
    detail,
  });
}

export async function resumeJobs(
  { database }: { database: Database },
  { scope }: { scope: PauseScope },
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await resume(tx, scope);
    if (!before) return;
    await endIncident(tx, scope);
    await insertAuditEntry(tx, by, {
      action: 'pause.ended',
      accountId: null,
      subject: scope,
      detail: asBefore(before),
    });
  });
}

/** Reports pauses, except those of accounts, which are private. */
async function tellIncident(
  tx: Tx,
  { isNew, ...told }: { scope: PauseScope; reason: string | null; until: number | null; isNew: boolean },
): Promise<void> {
  if (isUuid(told.scope)) return;
  if (isNew) await insertIncident(tx, { id: newId(await readNow(tx)), ...told });
  else await changeIncident(tx, told);
}

function asBefore({ reason, until }: Pick<Pause, 'reason' | 'until'>) {
  return { reason_before: reason, until_before: toIsoOrNull(until) };
}
