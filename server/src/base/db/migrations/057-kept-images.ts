import type { Dialect } from './dialect.ts';

/** Images that are kept past their retention. They are listed because retention visits each image only once. */
export function keptImages({ uuid, clustered }: Dialect): string[] {
  return [
    `create table kept_images (
      account_id ${uuid} not null,
      job_id ${uuid} not null,
      primary key (account_id, job_id)
    ) ${clustered}`,
    'create index kept_images_by_job on kept_images (job_id)',
  ];
}
