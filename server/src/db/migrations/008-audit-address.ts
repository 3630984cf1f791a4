/** Where people asked from; unknown for what was done before, and on the command line. */
export function auditAddress(): string[] {
  return ['alter table audit_log add column address text'];
}
