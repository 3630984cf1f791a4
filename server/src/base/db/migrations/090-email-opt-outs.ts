import type { Dialect } from './dialect.ts';

export function emailOptOuts({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table email_opt_outs (
      person_id ${uuid} not null references people (id) on delete cascade,
      topic text not null,
      since ${int} not null,
      primary key (person_id, topic)
    ) ${clustered}`,
  ];
}
