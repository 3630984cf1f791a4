/** From where each key was used last. */
export function keyAddresses(): string[] {
  return ['alter table api_keys add column last_used_address text'];
}
