import type { AnswerOf } from '@darkroom/server/panel-contract';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ProblemError } from '../../api/problem.ts';
import { queries, read, useRead, useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { useSession } from '../../api/session.ts';
import { utcDay } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import classes from './price-group-form.module.css';

export type PriceGroup = AnswerOf<'GET /admin/v1/price-groups'>['data'][number];
type Price = PriceGroup['prices'][number] & { key: number };

let keys = 0;

/** Creates a price group, or replaces an existing group as a whole. */
export function PriceGroupForm({ group, onClose }: { group: PriceGroup | undefined; onClose: () => void }) {
  const save = useSend(
    'PUT /admin/v1/price-groups/:price_group_id',
    ['GET /admin/v1/price-groups'],
    async (input) => {
      if (!group) await assertNew(input.params.price_group_id);
      return send('PUT /admin/v1/price-groups/:price_group_id', input);
    },
  );
  const [id, setId] = useState(group?.price_group_id ?? '');
  const [name, setName] = useState(group?.name ?? '');
  const [factor, setFactor] = useState(group?.factor ?? '0.8');
  const [from, setFrom] = useState(group?.from ?? null);
  const [until, setUntil] = useState(group?.until ?? null);
  const [prices, setPrices] = useState<Price[]>(() => (group?.prices ?? []).map(keyed));
  const errors = fieldErrors(save.error);
  const submit = () => {
    const body = {
      ...{ name: name.trim() || null, factor: factor.trim() || '1', from, until },
      prices: prices.map(({ key: _, ...price }) => price),
    };
    save.mutate({ params: { price_group_id: id.trim() || ' ' }, body }, { onSuccess: onClose });
  };
  return (
    <DialogForm action="Save prices" sending={save} onSubmit={submit} onClose={onClose}>
      {!group && (
        <TextInput
          label="Id"
          description="Its id in programs: lower-case letters, digits and hyphens"
          placeholder="resellers"
          data-autofocus
          maxLength={64}
          value={id}
          error={errors['/id']}
          onChange={(event) => setId(event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Name"
        description="Optional"
        maxLength={100}
        value={name}
        error={errors['/name']}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <AmountField
        label="Factor"
        description="Multiplies the prices of all models: 0.8 takes 20 % off"
        value={factor}
        error={errors['/factor']}
        onChange={setFactor}
      />
      <div className={classes.pair}>
        <DayField label="From (UTC)" at={from} error={errors['/from']} onChange={setFrom} />
        <DayField label="Until (UTC)" at={until} error={errors['/until']} onChange={setUntil} />
      </div>
      <PriceList prices={prices} errors={errors} onChange={setPrices} />
    </DialogForm>
  );
}

/** The call would replace a group that has this id. @throws ProblemError if there is one */
async function assertNew(id: string): Promise<void> {
  const { data } = await queries.fetchQuery({ ...read('GET /admin/v1/price-groups', {}), staleTime: 0 });
  if (!data.some(({ price_group_id }) => price_group_id === id)) return;
  const detail = t('There is a price group with this id. Change it in the list, or choose another id.');
  throw new ProblemError({
    type: 'about:blank',
    title: t('The price group was not added'),
    status: 0,
    code: 'page_error',
    detail,
    request_id: '',
    errors: [{ pointer: '/id', detail }],
  });
}

function keyed(price: PriceGroup['prices'][number]): Price {
  keys += 1;
  return { ...price, key: keys };
}

/** A field for whole days. A time that a program set stays until the day is changed. */
function DayField(props: {
  label: string;
  at: string | null;
  error: string | undefined;
  onChange: (at: string | null) => void;
}) {
  return (
    <TextInput
      type="date"
      label={props.label}
      value={props.at?.slice(0, 10) ?? ''}
      error={props.error}
      onChange={(event) => {
        const day = event.currentTarget.value;
        props.onChange(day === '' ? null : `${day}T00:00:00Z`);
      }}
    />
  );
}

function PriceList(props: {
  prices: Price[];
  errors: Record<string, string>;
  onChange: (prices: Price[]) => void;
}) {
  const { prices, errors, onChange } = props;
  const models = useRead('GET /admin/v1/models', {});
  const sizes = (models.data?.data ?? []).flatMap(({ id, name, prices: own }) =>
    Object.keys(own).map((resolution) => ({ model: id, resolution, label: `${name}, ${resolution}` })),
  );
  const [first] = sizes;
  return (
    <fieldset className={classes.prices}>
      <legend>Prices that override the factor</legend>
      {prices.map((price, index) => (
        <PriceFields
          key={price.key}
          price={price}
          sizes={sizes}
          error={errors[`/prices/${index}/price`] ?? errors[`/prices/${index}`]}
          onChange={(changed) => onChange(prices.map((one) => (one.key === price.key ? changed : one)))}
          onRemove={() => onChange(prices.filter((one) => one.key !== price.key))}
        />
      ))}
      {first && (
        <div>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              const { model, resolution } =
                sizes.find((size) => !prices.some((one) => isOf(one, size))) ?? first;
              onChange([...prices, keyed({ model, resolution, price: '', from: null, until: null })]);
            }}
          >
            Add a price
          </Button>
        </div>
      )}
    </fieldset>
  );
}

type Size = Pick<Price, 'model' | 'resolution'>;

function isOf(price: Size, size: Size): boolean {
  return price.model === size.model && price.resolution === size.resolution;
}

function PriceFields(props: {
  price: Price;
  sizes: (Size & { label: string })[];
  error: string | undefined;
  onChange: (price: Price) => void;
  onRemove: () => void;
}) {
  const { price, sizes } = props;
  const { currency } = useSession();
  const { model, resolution } = price;
  // Lists a price even if its model no longer exists, so that the operator can remove the price.
  const known = sizes.some((size) => isOf(price, size))
    ? sizes
    : [{ model, resolution, label: `${model}, ${resolution}` }, ...sizes];
  const { label } = known.find((size) => isOf(price, size)) ?? { label: '' };
  const period = [
    price.from && t('from {day}', { day: utcDay(price.from) }),
    price.until && t('until {day}', { day: utcDay(price.until) }),
  ];
  return (
    <div className={classes.price}>
      <NativeSelect
        label="Model and size"
        value={`${model} ${resolution}`}
        data={known.map((size) => ({ value: `${size.model} ${size.resolution}`, label: size.label }))}
        onChange={(event) => {
          const chosen = known.find(
            (size) => `${size.model} ${size.resolution}` === event.currentTarget.value,
          );
          if (chosen) props.onChange({ ...price, model: chosen.model, resolution: chosen.resolution });
        }}
      />
      <AmountField
        label={`Price of an image, ${currency}`}
        placeholder="0.04"
        value={price.price}
        error={props.error}
        onChange={(next) => props.onChange({ ...price, price: next })}
      />
      <Button size="compact-sm" variant="default" aria-label={`Remove ${label}`} onClick={props.onRemove}>
        Remove
      </Button>
      {period.some(Boolean) && <p className="soft tiny">{period.filter(Boolean).join(' ')}</p>}
    </div>
  );
}
