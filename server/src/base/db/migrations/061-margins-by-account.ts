/** Adds the index for checking that an account's margins match the captures in its entries. */
export function marginsByAccount(): string[] {
  return ['create index margins_by_account on margins (account_id)'];
}
