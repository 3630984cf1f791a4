import type { Dialect } from './dialect.ts';

/** What a person did, newest first; also asked before a failure is written that may come often. */
export function auditByPerson(_dialect: Dialect): string[] {
  return ['create index audit_log_by_person on audit_log (person_id, action, id)'];
}
