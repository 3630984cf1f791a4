import type { Dialect } from '../dialect.ts';

/** Adds the index for a person's latest actions, and for finding out whether a frequent failure was just written. */
export function auditByPerson(_dialect: Dialect): string[] {
  return ['create index audit_log_by_person on audit_log (person_id, action, id)'];
}
