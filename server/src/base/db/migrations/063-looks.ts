/** Which images of an account look exactly alike. */
export function looks(): string[] {
  return ['create index imprints_by_look on imprints (account_id, fine)'];
}
