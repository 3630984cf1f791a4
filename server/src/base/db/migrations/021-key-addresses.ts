/** Adds the address from which each key was last used. */
export function keyAddresses(): string[] {
  return ['alter table api_keys add column last_used_address text'];
}
