import type { Dialect } from './dialect.ts';

/** Adds the model to captures, because statements of past years need it after the jobs are removed. */
export function statements({ kind, rejectChange }: Dialect): string[] {
  return [
    'alter table entries add column model text',
    `drop trigger "entries: entries are never changed"${kind === 'postgres' ? ' on entries' : ''}`,
    "update entries set model = (select model from jobs where jobs.id = entries.job_id) where kind = 'capture'",
    ...rejectChange('entries', 'update', 'true', 'entries are never changed'),
  ];
}
