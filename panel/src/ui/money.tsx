import { useSession } from '../api/session.ts';
import { amount as amountText } from '../languages/format.ts';

/** An amount as the server sent it, with the currency; `bare` if a header names the currency. Never a float. */
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
