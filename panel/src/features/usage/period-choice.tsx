import { SegmentedControl, TextInput } from '@mantine/core';
import { t } from '../../languages/words.ts';
import { type daysOf, periods } from './period.ts';

export function PeriodChoice(props: {
  days: ReturnType<typeof daysOf>;
  onChange: (search: Record<'period' | 'from' | 'to', string | undefined>) => void;
}) {
  const { period, from, to } = props.days;
  return (
    <>
      <SegmentedControl
        aria-label="Period"
        value={period}
        onChange={(value) => props.onChange({ period: value, from: undefined, to: undefined })}
        data={[...periods, ...(period === 'other' ? [{ value: 'other', label: t('Other days') }] : [])]}
      />
      <TextInput
        aria-label="First day"
        type="date"
        value={from}
        max={to}
        onChange={(event) => props.onChange({ from: event.currentTarget.value, to, period: undefined })}
      />
      <TextInput
        aria-label="Last day"
        type="date"
        value={to}
        min={from}
        onChange={(event) => props.onChange({ from, to: event.currentTarget.value, period: undefined })}
      />
    </>
  );
}
