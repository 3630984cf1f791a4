export function keyAddresses(): string[] {
  return ['alter table api_keys add column last_used_address text'];
}
