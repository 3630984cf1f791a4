import type { Dialect } from './dialect.ts';

/** Reports of abuse through public links. `evidence` is JSON; a copy of the image is stored separately. */
export function reports({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table reports (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      job_id ${uuid} not null,
      reason text not null,
      contact text,
      address text not null,
      created_at ${int} not null,
      taken_down_at ${int},
      evidence_key text,
      evidence text,
      resolved_at ${int},
      resolved_by text
    ) ${clustered}`,
    'create index reports_open on reports (job_id) where resolved_at is null',
    'create index reports_by_account on reports (account_id)',
    'create index reports_resolved on reports (resolved_at) where resolved_at is not null',
  ];
}
