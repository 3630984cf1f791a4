/** Adds the client's IP address of actions, unknown for earlier actions and for the command line. */
export function auditAddress(): string[] {
  return ['alter table audit_log add column address text'];
}
