/** Adds the networks that may use an admin key: a JSON array, or null for everywhere. */
export function adminKeyNetworks(): string[] {
  return ['alter table admin_keys add column networks text'];
}
