import type { Dialect } from './dialect.ts';

/**
 * Languages of people: the one they chose, else that of their browser's last request; and of emails to people unknown
 * here.
 */
export function languages(_: Dialect): string[] {
  return [
    'alter table people add column language text',
    'alter table people add column browser_language text',
    'alter table outgoing_emails add column language text',
  ];
}
