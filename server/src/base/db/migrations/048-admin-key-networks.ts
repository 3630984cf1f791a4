/** Where an admin key may be used from: a JSON array of networks, or null for everywhere. */
export function adminKeyNetworks(): string[] {
  return ['alter table admin_keys add column networks text'];
}
