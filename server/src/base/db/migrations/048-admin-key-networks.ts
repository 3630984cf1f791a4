/** Adds the networks that may use an admin key, as a JSON array; null for all. */
export function adminKeyNetworks(): string[] {
  return ['alter table admin_keys add column networks text'];
}
