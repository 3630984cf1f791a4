import { useSession } from '../api/session.ts';
import { amount as amountText } from '../languages/format.ts';

/** An amount as the server sent it, never as a float. `bare` omits the currency, if a header names it. */
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
      {amountText(amount)}
      {!bare && <span className="soft tiny"> {currency}</span>}
    </span>
  );
}
