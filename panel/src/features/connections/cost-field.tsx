import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { type Rate, type Rates, sourceOf } from '../money/rates.ts';

/** Finds the costs of an upstream's models in the book of rates. Empty if the book has no rates in our currency. */
export function useBookedCosts(provider: string) {
  const { currency } = useSession();
  const { data: rates, isPending: isReading } = useRead('GET /admin/v1/rates', {});
  const find = (upstream: string) => rates && findRate(rates, provider, upstream);
  return {
    /** True while costs load. A form that is sent during this time has no cost. */
    isReading,
    find,
    costOf(upstream: string): string {
      const rate = find(upstream);
      return rate?.currency === currency ? (rate.image ?? '') : '';
    },
  };
}

export function CostField(props: {
  /** The model, for screen readers. */
  of?: string;
  rate: Rate | undefined;
  value: string;
  error?: string | undefined;
  onChange: (cost: string) => void;
}) {
  const { of, rate, value } = props;
  const { currency } = useSession();
  const label = t('Cost of an image, {currency}', { currency });
  return (
    <AmountField
      label={label}
      {...(of && { 'aria-label': `${label}: ${of}` })}
      description={describe(rate, value)}
      placeholder={rate?.image === null ? 'As used' : 'Not known'}
      value={value}
      error={props.error}
      onChange={props.onChange}
    />
  );
}

function describe(rate: Rate | undefined, value: string): string {
  if (!rate) return t('Without it, margins do not know what this route costs');
  const { image, currency, read_on: read, changed_at: at } = rate;
  const asOf = t('{rate}, as of {read}', { rate: sourceOf(rate), read: read ?? at?.slice(0, 10) ?? '' });
  if (image === null)
    return value
      ? t('In place of what its answers used')
      : t('Counted from what its answers used, by {asOf}', { asOf });
  return value === image
    ? t('From {asOf}', { asOf })
    : t('{image} {currency} by {asOf}', { image, currency, asOf });
}

function findRate({ data }: Rates, provider: string, model: string): Rate | undefined {
  const own = data.filter((one) => one.in_use && one.provider === provider);
  return own.find((one) => one.model === model) ?? own.find((one) => one.model === null);
}
