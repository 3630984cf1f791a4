import type { Dialect } from './dialect.ts';

/** Adds the id of a share's creator, because names change and can be equal. Older shares have only the name. */
export function shareMakers({ uuid }: Dialect): string[] {
  return [
    `alter table shares add column made_by_id ${uuid}`,
    'create index shares_by_maker on shares (made_by_id) where made_by_id is not null',
  ];
}
