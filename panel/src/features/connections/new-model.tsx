import type { AnswerOf } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { wrongAmount } from '../money/amount.ts';
import classes from './connections.module.css';
import { CostField, useBookedCosts } from './cost-field.tsx';
import { ModelNames, slugOf } from './model-names.tsx';
import { settingsOf, type Upstream, UpstreamField } from './upstream-field.tsx';

export function NewModel(props: {
  connection: string;
  provider: string;
  upstreams: Upstream[];
  onMade: (changed: AnswerOf<'POST /panel/operator/connections/:name/models'>) => void;
}) {
  const [first] = props.upstreams;
  const [upstream, setUpstream] = useState(first?.id ?? '');
  const [names, setNames] = useState({
    name: first ? nameOf(first) : '',
    id: first ? slugOf(nameOf(first)) : '',
  });
  const [prices, setPrices] = useState<Record<string, string>>({});
  const booked = useBookedCosts(props.provider);
  const [given, setGiven] = useState<string>();
  const cost = given ?? booked.costOf(upstream);
  const make = useSend('POST /panel/operator/connections/:name/models', [
    'GET /panel/operator/connections',
    'GET /panel/operator/models',
    'GET /api/v1/models',
  ]);
  const known = props.upstreams.find(({ id }) => id === upstream)?.capabilities;
  const resolutions = ['1K', '2K', '4K'].filter((one) => known?.resolutions.includes(one) ?? one === '1K');
  const priced = resolutions.filter((one) => prices[one]?.trim());
  const why =
    upstream === ''
      ? t('Choose a model of the provider.')
      : names.name.trim() === '' || names.id === ''
        ? t('Give it a name and an id.')
        : priced.length === 0
          ? t('Enter the price of an image.')
          : undefined;
  const submit = () => {
    const body = {
      id: names.id,
      name: names.name.trim(),
      settings: settingsOf(props.upstreams, upstream),
      ...(cost && { cost }),
      ratios: [...(known?.ratios ?? ['1:1'])],
      max_inputs: known?.maxInputs ?? 0,
      prices: Object.fromEntries(priced.map((one) => [one, prices[one]?.trim() ?? ''])),
    };
    make.mutate({ params: { name: props.connection }, body }, { onSuccess: props.onMade });
  };
  const errors = fieldErrors(make.error);
  const choose = (id: string) => {
    const chosen = props.upstreams.find((one) => one.id === id);
    setUpstream(id);
    setGiven(undefined);
    if (chosen) setNames({ name: nameOf(chosen), id: slugOf(nameOf(chosen)) });
  };
  return (
    <div className={`stack ${classes.narrow}`}>
      <UpstreamField
        label="Model of the provider"
        upstreams={props.upstreams}
        value={upstream}
        onChange={choose}
      />
      <ModelNames names={names} onChange={setNames} errors={errors} />
      <CostField
        rate={booked.find(upstream)}
        value={cost}
        error={errors['/routes/0/cost']}
        onChange={setGiven}
      />
      <Prices resolutions={resolutions} prices={prices} errors={errors} onChange={setPrices} />
      <ProblemAlert error={make.error} />
      <div>
        <ActionButton why={why} loading={make.isPending || booked.isReading} onClick={submit}>
          Add the model
        </ActionButton>
      </div>
    </div>
  );
}

function Prices(props: {
  resolutions: string[];
  prices: Record<string, string>;
  errors: Record<string, string>;
  onChange: (prices: Record<string, string>) => void;
}) {
  const { currency } = useSession();
  const { resolutions, prices, errors } = props;
  return resolutions.map((resolution) => (
    <AmountField
      key={resolution}
      label={`Price of an image at ${resolution}, ${currency}`}
      {...(resolutions.length > 1 && {
        description: t('Leave empty if the model should not offer this size.'),
      })}
      placeholder="0.04"
      value={prices[resolution] ?? ''}
      error={
        (prices[resolution] && wrongAmount(prices[resolution])) || errors[`/resolutions/${resolution}/price`]
      }
      onChange={(price) => props.onChange({ ...prices, [resolution]: price })}
    />
  ));
}

function nameOf({ id, name }: Upstream): string {
  return name ?? id.split('/').at(-1) ?? id;
}
