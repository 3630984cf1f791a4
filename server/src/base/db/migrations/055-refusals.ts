import type { Dialect } from './dialect.ts';

/** Recent refusals by the policy, with prompts if the operator keeps them. `struck` marks those that are strikes. */
export function refusals({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table refusals (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      key_id ${uuid} not null,
      job_id ${uuid},
      stage text not null,
      reason text,
      prompt text,
      at ${int} not null,
      struck ${int} not null default 0
    ) ${clustered}`,
    'create index refusals_by_account on refusals (account_id, at)',
    'create index refusals_by_time on refusals (at)',
  ];
}
