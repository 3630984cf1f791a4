import type { Dialect } from './dialect.ts';

/**
 * Requests at doors without an Idempotency-Key, from acceptance until their answer went out: a repetition after the
 * client disconnected finds its jobs here. There are few at any time.
 */
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
