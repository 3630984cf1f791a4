import { auditActions } from '../base/audit/audit-actions.ts';
import { type AuditFilter, listAuditEntries } from '../base/audit/audit-store.ts';
import type { Queries } from '../base/db/schema.ts';
import { isUuid } from '../base/std/ids.ts';
import { wrongParameter } from '../errors.ts';
import { findPerson } from './people/people-store.ts';

/** Accepts an action or person that exists, or that an entry still names. @throws AppError `invalid_request` */
export async function assertKnownAudit(
  read: Queries,
  { action, personId }: Pick<AuditFilter, 'action' | 'personId'>,
): Promise<void> {
  const isNoted = async (filter: Omit<AuditFilter, 'limit'>) =>
    (await listAuditEntries(read, { ...filter, limit: 1 })).length > 0;
  const isAction = auditActions.some((one) => one === action);
  if (action !== undefined && !isAction && !(await isNoted({ action })))
    throw wrongParameter('action', `is unknown: there are ${auditActions.join(', ')}.`);
  const hasPerson = async (id: string) =>
    isUuid(id) && ((await findPerson(read, id)) !== undefined || isNoted({ personId: id }));
  if (personId !== undefined && !(await hasPerson(personId)))
    throw wrongParameter('person_id', 'is unknown: no person has this id.');
}
