import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { isTwofold, typedAmount, writtenAmount } from '../../languages/format.ts';

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'inputMode'> & {
  /** An amount with a decimal point, as in the API. Unreadable text is passed on for the server to refuse. */
  value: string;
  onChange: (amount: string) => void;
};

/** An amount in the page's language, with its decimal sign. */
export function AmountField({ value, onChange, placeholder, error, ...rest }: Props) {
  const [typed, setTyped] = useState('');
  const shown = typedAmount(typed) === value ? typed : writtenAmount(value);
  return (
    <TextInput
      {...rest}
      inputMode="decimal"
      placeholder={placeholder && writtenAmount(placeholder)}
      value={shown}
      error={isTwofold(shown) ? 'Write it without a point: three digits after one may be thousands.' : error}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onChange(typedAmount(event.currentTarget.value));
      }}
    />
  );
}
