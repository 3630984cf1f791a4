import type { Dialect } from './dialect.ts';
import { changed, settled } from './early/017-pictures.ts';

export function retention(dialect: Dialect): string[] {
  const { int, uuid, clustered } = dialect;
  return [
    `create table retentions (
      account_id ${uuid} not null,
      part text not null,
      days ${int} not null check (days > 0),
      primary key (account_id, part)
    ) ${clustered}`,
    `create table retention_progress (
      account_id ${uuid} not null,
      part text not null,
      through_id ${uuid} not null,
      primary key (account_id, part)
    ) ${clustered}`,
    ...letContentGo(dialect),
    ...letOldAuditGo(dialect),
  ];
}

/** Lets an ended job's prompt and other content be removed at any time, but never changed otherwise. */
function letContentGo({ kind, rejectChange }: Dialect): string[] {
  const texts = { prompt: "''", inputs: "'[]'", failures: "'[]'", notes: 'null', parameters: 'null' };
  const rewritten = Object.entries(texts).map(
    ([column, gone]) =>
      `(new.${column} is distinct from old.${column} and new.${column} is distinct from ${gone})`,
  );
  const deletedAgain = `(old.image_deleted_at is not null and ${changed(['image_deleted_at'])})`;
  const never = changed([...settled, 'metadata', 'origin_job_id', 'origin_kind']);
  return [
    `drop trigger "jobs: a terminal job never changes"${kind === 'postgres' ? ' on jobs' : ''}`,
    ...rejectChange(
      'jobs',
      'update',
      `old.status in ('done', 'failed') and (${never} or ${rewritten.join(' or ')} or ${deletedAgain})`,
      'a terminal job never changes',
    ),
  ];
}

function letOldAuditGo({ kind, rejectChange }: Dialect): string[] {
  // On SQLite a trigger must not use `now_ms`, which exists only on our connections.
  const now = kind === 'postgres' ? 'now_ms()' : 'unixepoch() * 1000';
  return [
    `drop trigger "audit_log: the audit log is never shortened"${kind === 'postgres' ? ' on audit_log' : ''}`,
    ...rejectChange(
      'audit_log',
      'delete',
      `old.at > ${now} - ${30 * 24 * 60 * 60 * 1000}`,
      'the audit log of the last thirty days is never shortened',
    ),
  ];
}
