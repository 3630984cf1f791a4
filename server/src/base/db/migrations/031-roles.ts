import type { Dialect } from './dialect.ts';

/** Existing people keep all rights. */
export function roles(_dialect: Dialect): string[] {
  return [
    "alter table members add column role text not null default 'owner' check (role in ('owner', 'developer', 'billing', 'viewer'))",
    "alter table operators add column role text not null default 'admin' check (role in ('admin', 'support'))",
    "alter table panel_links add column role text check (role in ('owner', 'developer', 'billing', 'viewer', 'admin', 'support'))",
  ];
}
