/** For the check that an account's margins have the revenue that its entries captured. */
export function marginsByAccount(): string[] {
  return ['create index margins_by_account on margins (account_id)'];
}
