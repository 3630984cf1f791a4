/** Adds the IP address from which an action came; null for earlier actions and for the command line. */
export function auditAddress(): string[] {
  return ['alter table audit_log add column address text'];
}
