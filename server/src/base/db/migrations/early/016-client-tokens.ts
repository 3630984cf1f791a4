import type { Dialect } from '../dialect.ts';

export function clientTokens({ int, uuid, strict }: Dialect): string[] {
  return [
    `create table client_tokens (
      id ${uuid} primary key,
      key_id ${uuid} not null references api_keys (id),
      hash text not null unique,
      models text,
      origin text,
      created_at ${int} not null,
      expires_at ${int} not null
    ) ${strict}`,
    'create index client_tokens_by_key on client_tokens (key_id)',
    `alter table jobs add column client_token_id ${uuid}`,
  ];
}
