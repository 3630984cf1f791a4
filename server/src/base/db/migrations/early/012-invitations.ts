import type { Dialect } from '../dialect.ts';

/** Adds an invitation's creator. An invitation ends with its creator's rights; older ones, without a creator, end now. */
export function invitations({ uuid }: Dialect): string[] {
  return [
    `alter table panel_links add column made_by ${uuid} references people (id) on delete cascade`,
    `update panel_links set expires_at = now_ms()
      where kind = 'invitation' and used_at is null and expires_at > now_ms()`,
    'create index panel_links_by_maker on panel_links (made_by)',
  ];
}
