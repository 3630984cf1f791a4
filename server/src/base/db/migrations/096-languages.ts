import type { Dialect } from './dialect.ts';

/**
 * The language that a person chose, their browser's language, which is used if they chose none, and the
 * language of emails to people unknown here.
 */
export function languages(_: Dialect): string[] {
  return [
    'alter table people add column language text',
    'alter table people add column browser_language text',
    'alter table outgoing_emails add column language text',
  ];
}
