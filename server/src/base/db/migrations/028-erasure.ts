import type { Dialect } from './dialect.ts';

/** Audit log entries never change, except that names, addresses and details can be removed from them. */
export function erasure({ kind, rejectChange }: Dialect): string[] {
  const fixed = ['id', 'at', 'person_id', 'action', 'account_id', 'subject'];
  const list = (of: string) => fixed.map((column) => `${of}.${column}`).join(', ');
  return [
    `drop trigger "audit_log: the audit log is never changed"${kind === 'postgres' ? ' on audit_log' : ''}`,
    ...rejectChange(
      'audit_log',
      'update',
      `(${list('new')}) is distinct from (${list('old')})
        or (new.detail <> old.detail and new.detail <> '{}')
        or (new.address is distinct from old.address and new.address is not null)
        or (new.person_name <> old.person_name and new.person_name <> 'erased')`,
      'the audit log is never changed',
    ),
  ];
}
