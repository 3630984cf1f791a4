import type { Dialect } from './dialect.ts';

/** Prices for groups of accounts. Versions have no foreign key, because they outlive their group. */
export function priceGroups({ int, uuid, strict, clustered }: Dialect): string[] {
  return [
    `create table price_groups (id text primary key) ${strict}`,
    `create table price_group_versions (
      group_id text not null,
      version ${int} not null,
      definition text,
      author_id ${uuid},
      author_name text not null,
      created_at ${int} not null,
      primary key (group_id, version)
    ) ${clustered}`,
    'alter table accounts add column price_group text',
    'create index accounts_by_price_group on accounts (price_group) where price_group is not null',
  ];
}
