import { useAccountId } from '../../api/account.ts';
import { problemOf } from '../../api/problem.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { amount } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import form from '../make/make-form.module.css';
import { MakeProblem } from '../make/make-problem.tsx';
import { leftOf } from '../money/sum.ts';
import { type Batch, type useBatchQuote, useMakeBatch } from './use-batch.ts';

export function MakeBatch(
  props: ReturnType<typeof useBatchQuote> & {
    batch: Batch;
    why: string | undefined;
    onMade: (batchId: string, isShown: boolean) => void;
  },
) {
  const { batch, quote } = props;
  const { currency } = useSession();
  const balance = useRead('GET /api/v1/balance', { params: { account_id: useAccountId() } }).data;
  const make = useMakeBatch(props.onMade);
  const why = props.why ?? whyNot(props);
  const count = batch.requests.length;
  const what = t('{count, plural, =1 {Make image} other {Make # images}}', { count });
  return (
    <div className={form.submit}>
      <MakeProblem make={make} />
      <ActionButton why={why} loading={make.isPending} size="md" onClick={() => make.mutate(batch)}>
        {count === 0 ? 'Make images' : quote ? `${what} · ${amount(quote.price)} ${currency}` : what}
      </ActionButton>
      <p className="small soft">
        {why ??
          (balance &&
            quote &&
            `Leaves ${amount(leftOf(balance.available, quote.price))}. All are accepted, or none; failed ones are not charged.`)}
      </p>
    </div>
  );
}

function whyNot({ quote, error, passing, mistakes }: ReturnType<typeof useBatchQuote>): string | undefined {
  const { size } = mistakes;
  if (size > 0)
    return t(
      '{size, plural, =1 {One line cannot be made. Mend the list first.} other {# lines cannot be made. Mend the list first.}}',
      { size },
    );
  if (error) return t('This list cannot be made.');
  if (passing) return t('{title}. Asking again what it costs…', { title: problemOf(passing).title });
  return quote ? (quote.detail ?? undefined) : t('Asking what it costs…');
}
