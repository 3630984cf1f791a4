import type { Dialect } from './dialect.ts';

/** Jobs whose image looks exactly like another image of the account. Listing them reads no other jobs. */
export function duplicates({ uuid, clustered }: Dialect): string[] {
  return [
    `create table duplicates (
      job_id ${uuid} primary key,
      account_id ${uuid} not null
    ) ${clustered}`,
    'create index duplicates_by_account on duplicates (account_id, job_id)',
    `insert into duplicates (job_id, account_id) select job_id, account_id
      from (select job_id, account_id, count(*) over (partition by account_id, fine) as alike from imprints) as looks
      where alike > 1`,
  ];
}
