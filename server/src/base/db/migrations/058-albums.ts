import type { Dialect } from './dialect.ts';

/** Images in an order that people choose. A share of an album shows what the album contains when it is opened. */
export function albums({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table albums (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      name text not null,
      created_at ${int} not null
    ) ${clustered}`,
    'create index albums_by_account on albums (account_id, id)',
    `create table album_images (
      album_id ${uuid} not null,
      position ${int} not null,
      job_id ${uuid} not null,
      account_id ${uuid} not null,
      primary key (album_id, position)
    ) ${clustered}`,
    'create index album_images_by_account on album_images (account_id, job_id)',
    'create index album_images_by_job on album_images (job_id)',
    `alter table shares add column album_id ${uuid}`,
  ];
}
