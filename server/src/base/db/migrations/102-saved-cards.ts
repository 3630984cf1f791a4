import type { Dialect } from './dialect.ts';

/** Adds when a card was saved, by the provider's clock. Reports may come late; cards from before count as earlier. */
export function savedCards({ int }: Dialect): string[] {
  return [`alter table payment_cards add column saved_at ${int} not null default 0`];
}
