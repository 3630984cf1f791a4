import { useSession } from '../api/session.ts';

/**
 * An amount as the server says it, with the currency of the installation, or `bare` where the head of
 * the column names it; never turned into a float.
 */
export function Money({
  amount,
  sign = false,
  bare = false,
}: {
  amount: string;
  sign?: boolean;
  bare?: boolean;
}) {
  const { currency } = useSession();
  const positive = sign && !amount.startsWith('-') && Number(amount) !== 0;
  return (
    <span className="number nowrap">
      {positive ? '+' : ''}
      {amount.replace('-', '−')}
      {!bare && <span className="soft tiny"> {currency}</span>}
    </span>
  );
}
