import type { LimitRow } from '@darkroom/server/panel-contract';
import { TextInput } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { amountText, type LimitTexts, limitName } from './limit-words.ts';
import classes from './limits.module.css';

export function LimitFields(props: {
  rows: readonly LimitRow[];
  texts: LimitTexts;
  wrong: Record<string, string | undefined>;
  onChange: (texts: LimitTexts) => void;
}) {
  const { currency } = useSession();
  const { rows, texts, wrong, onChange } = props;
  return (
    <div className={classes.fields}>
      {rows.map((row) => {
        const { limit, unit, most, is_default: isDefault } = row;
        const field = {
          placeholder:
            isDefault && most !== null
              ? t('{amount}, the default', { amount: amountText(unit, most) })
              : t('No limit'),
          value: texts[limit] ?? '',
          error: wrong[limit],
        };
        const change = (text: string) => onChange({ ...texts, [limit]: text });
        return unit === 'money' ? (
          <AmountField key={limit} label={`${limitName(row)}, ${currency}`} {...field} onChange={change} />
        ) : (
          <TextInput
            key={limit}
            label={limitName(row)}
            {...field}
            inputMode={unit === 'bytes' ? 'text' : 'numeric'}
            onChange={(event) => change(event.currentTarget.value)}
          />
        );
      })}
    </div>
  );
}

export function NetworksField(props: { text: string; onChange: (text: string) => void }) {
  return (
    <TextInput
      label="Networks"
      description="Addresses and networks from which it may be used, with commas between them."
      placeholder="Everywhere, or 203.0.113.0/24, 198.51.100.7"
      inputWrapperOrder={['label', 'input', 'description']}
      maxLength={1000}
      value={props.text}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}
