import { insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { endSessions } from '../people/people-store.ts';
import { assertOneself } from './assert-oneself.ts';
import { deleteSession } from './session-store.ts';
import { isFresh, type Viewer } from './sessions.ts';

interface Who {
  viewer: Viewer;
  address: string;
}

/** Ends one of the person's sessions; for null, all except this one. @throws AppError `sign_in_refused`, `not_found` */
export async function endOwnSessions(
  database: Database,
  who: Who,
  { sessionId, password }: { sessionId: string | null; password: string | undefined },
): Promise<void> {
  const { viewer } = who;
  if (!isFresh(viewer)) await assertOneself(database, who, password);
  await database.transaction(async (tx) => {
    if (sessionId === null) await endSessions(tx, viewer.personId, { except: viewer.token });
    else if (!isUuid(sessionId) || !(await deleteSession(tx, { id: sessionId, personId: viewer.personId })))
      throw new AppError('not_found', 'There is no such session; it may have ended.');
    const detail = { session: sessionId ?? 'all others' };
    const entry = { action: 'sessions.ended' as const, accountId: null, subject: viewer.personId, detail };
    await insertAuditEntry(tx, viewer, entry);
  });
}
