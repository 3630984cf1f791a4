export function looks(): string[] {
  return ['create index imprints_by_look on imprints (account_id, fine)'];
}
