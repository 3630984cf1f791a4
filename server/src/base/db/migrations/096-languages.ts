import type { Dialect } from './dialect.ts';

export function languages(_: Dialect): string[] {
  return [
    'alter table people add column language text',
    'alter table people add column browser_language text',
    'alter table outgoing_emails add column language text',
  ];
}
