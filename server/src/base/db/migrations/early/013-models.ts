import type { Dialect } from '../dialect.ts';

/** Models and connections as data. Versions are only added, because each job names its model's version. */
export function models({ int, uuid, strict, rejectChange }: Dialect): string[] {
  return [
    `create table model_versions (
      model text not null,
      version ${int} not null,
      definition text,
      source text not null check (source in ('specified', 'file', 'operator')),
      author_id ${uuid},
      author_name text not null,
      created_at ${int} not null,
      primary key (model, version)
    ) ${strict}`,
    ...rejectChange('model_versions', 'update', 'true', 'versions are only added'),
    `create table connections (
      name text primary key,
      provider text not null,
      base_url text,
      credential text,
      created_at ${int} not null,
      changed_at ${int} not null,
      changed_by text not null
    ) ${strict}`,
    `alter table jobs add column model_version ${int}`,
    'alter table jobs add column parameters text',
  ];
}
