import type { Dialect } from '../dialect.ts';

/**
 * Adds an invitation's creator. An invitation expires when its creator loses the right to invite. Older invitations,
 * which have no creator, expire now.
 */
export function invitations({ uuid }: Dialect): string[] {
  return [
    `alter table panel_links add column made_by ${uuid} references people (id) on delete cascade`,
    `update panel_links set expires_at = now_ms()
      where kind = 'invitation' and used_at is null and expires_at > now_ms()`,
    'create index panel_links_by_maker on panel_links (made_by)',
  ];
}
