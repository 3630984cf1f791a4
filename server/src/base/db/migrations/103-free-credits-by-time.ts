/** Each sign-up counts the free credits of the last day, and rows are never deleted. */
export function freeCreditsByTime(): string[] {
  return ['create index free_credits_by_time on free_credits (given_at)'];
}
