import type { Dialect } from './dialect.ts';

/** Requests in other vendors' formats whose answer was not sent. A repeat after a disconnection finds its jobs here. */
export function unansweredRequests({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table unanswered_requests (
      caller_id ${uuid} not null,
      fingerprint text not null,
      job_id ${uuid} not null,
      job_ids text not null,
      waiter ${uuid},
      process text not null,
      repeats ${int} not null,
      client_request text,
      expires_at ${int} not null,
      primary key (caller_id, fingerprint, job_id)
    ) ${clustered}`,
  ];
}
