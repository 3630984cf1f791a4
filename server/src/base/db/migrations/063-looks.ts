/** Adds the index that finds images of an account that look exactly alike. */
export function looks(): string[] {
  return ['create index imprints_by_look on imprints (account_id, fine)'];
}
