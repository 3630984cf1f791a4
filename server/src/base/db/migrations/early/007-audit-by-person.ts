import type { Dialect } from '../dialect.ts';

/** Adds the index for a person's actions, newest first, and for checking whether a frequent failure was written recently. */
export function auditByPerson(_dialect: Dialect): string[] {
  return ['create index audit_log_by_person on audit_log (person_id, action, id)'];
}
