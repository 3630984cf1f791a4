/** Adds the index for the check that an account's margins equal what its entries captured. */
export function marginsByAccount(): string[] {
  return ['create index margins_by_account on margins (account_id)'];
}
