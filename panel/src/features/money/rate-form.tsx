import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import classes from './price-group-form.module.css';
import { type Rate, type Rates, rateUnits } from './rates.ts';

/** A rate set here replaces the published rate, or the rate that was set here before. */
export function RateForm(props: {
  rate?: Rate | undefined;
  reported: Rates['reported'];
  onClose: () => void;
}) {
  const { rate, reported, onClose } = props;
  const { currency } = useSession();
  const save = useSend('PATCH /admin/v1/rates', ['GET /admin/v1/rates']);
  const [provider, setProvider] = useState(rate?.provider ?? reported[0]?.provider ?? '');
  const [model, setModel] = useState(rate?.model ?? '');
  const [amounts, setAmounts] = useState<Partial<Record<string, string>>>(() => amountsOf(rate, currency));
  const errors = fieldErrors(save.error);
  const told = reported.find((one) => one.provider === provider)?.units ?? [];
  const units = rateUnits.filter(({ unit }) => told.includes(unit));
  const submit = () => {
    const given = units
      .map(({ unit }) => [unit, amounts[unit]?.trim()] as const)
      .filter(([, amount]) => amount);
    save.mutate(
      { body: { provider, model: model.trim(), rates: Object.fromEntries(given) } },
      { onSuccess: onClose },
    );
  };
  return (
    <DialogForm action="Save rate" sending={save} onSubmit={submit} onClose={onClose}>
      {!rate && (
        <>
          <NativeSelect
            label="Provider"
            description="Providers whose answers report usage. Give routes of others a cost"
            data={reported.map((one) => ({ value: one.provider, label: one.name }))}
            value={provider}
            error={errors['/provider']}
            onChange={(event) => setProvider(event.currentTarget.value)}
          />
          <TextInput
            label="Model"
            description="As the provider calls it"
            placeholder="gpt-image-2"
            data-autofocus
            maxLength={200}
            value={model}
            error={errors['/model']}
            onChange={(event) => setModel(event.currentTarget.value)}
          />
        </>
      )}
      <div className={classes.pair}>
        {units.map(({ unit, of, each }) => (
          <AmountField
            key={unit}
            label={`${of}, ${currency}`}
            description={`For ${each}`}
            value={amounts[unit] ?? ''}
            error={errors[`/rates/${unit}`]}
            onChange={(amount) => setAmounts({ ...amounts, [unit]: amount })}
          />
        ))}
      </div>
      <p className="soft tiny">
        For attempts that end from now on. What was noted stays. An empty field is not known, and an attempt
        that used it has no cost.
      </p>
    </DialogForm>
  );
}

function amountsOf(rate: Rate | undefined, currency: string): Partial<Record<string, string>> {
  if (rate?.currency !== currency) return {};
  return Object.fromEntries(rateUnits.map(({ unit }) => [unit, rate[unit] ?? '']));
}
