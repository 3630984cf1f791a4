import type { Dialect } from './dialect.ts';

/** Who made a link, by id: names change, and two people may have the same. Older links have the name alone. */
export function shareMakers({ uuid }: Dialect): string[] {
  return [
    `alter table shares add column made_by_id ${uuid}`,
    'create index shares_by_maker on shares (made_by_id) where made_by_id is not null',
  ];
}
