import type { Dialect } from './dialect.ts';

/** Adds the answers to requests with an `Idempotency-Key`, kept for a day and readable only with the server's secret. */
export function keptAnswers({ int, strict }: Dialect): string[] {
  return [
    `create table kept_answers (
      id text primary key,
      fingerprint text not null,
      answer text,
      created_at ${int} not null
    ) ${strict}`,
    'create index kept_answers_by_age on kept_answers (created_at)',
  ];
}
