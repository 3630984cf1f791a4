export type TopUpDecision =
  | 'top_up'
  | 'off'
  | 'account_closed'
  | 'enough'
  /** The account has a debt, because a payment was refunded or disputed. */
  | 'owes'
  | 'disputed'
  | 'under_way'
  | 'month_is_used';

export interface TopUpStanding {
  isOn: boolean;
  isClosed: boolean;
  availableMicros: bigint;
  debtMicros: bigint;
  hasDispute: boolean;
  hasOpenCharge: boolean;
  thresholdMicros: bigint;
  amountMicros: bigint;
  monthMicros: bigint;
  /** The total of this month's charges, including open ones. */
  usedMicros: bigint;
}

/** A pure function that decides on a charge. The caller holds the account's lock, as every charge requires. */
export function decideTopUp(standing: TopUpStanding): TopUpDecision {
  if (!standing.isOn) return 'off';
  if (standing.isClosed) return 'account_closed';
  if (standing.debtMicros > 0n) return 'owes';
  if (standing.hasDispute) return 'disputed';
  if (standing.availableMicros >= standing.thresholdMicros) return 'enough';
  if (standing.hasOpenCharge) return 'under_way';
  if (standing.usedMicros + standing.amountMicros > standing.monthMicros) return 'month_is_used';
  return 'top_up';
}
