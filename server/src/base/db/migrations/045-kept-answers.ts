import type { Dialect } from './dialect.ts';

/** What requests with an `Idempotency-Key` were answered, for a day: nothing of them can be read without the server's secret. */
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
