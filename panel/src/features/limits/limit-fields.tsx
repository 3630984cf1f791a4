import type { LimitRow } from '@darkroom/server/panel-contract';
import { TextInput } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { amountText, type LimitTexts, limitName } from './limit-words.ts';
import classes from './limits.module.css';

/** A field for every limit that there may be. */
export function LimitFields(props: {
  rows: readonly LimitRow[];
  texts: LimitTexts;
  /** The mistakes by `limit`. */
  wrong: Record<string, string | undefined>;
  onChange: (texts: LimitTexts) => void;
}) {
  const { currency } = useSession();
  const { rows, texts, wrong, onChange } = props;
  return (
    <div className={classes.fields}>
      {rows.map((row) => (
        <TextInput
          key={row.limit}
          label={row.unit === 'money' ? `${limitName(row)}, ${currency}` : limitName(row)}
          placeholder={
            row.is_default && row.most !== null
              ? `${amountText(row.unit, row.most)}, the default`
              : 'No limit'
          }
          inputMode={row.unit === 'money' ? 'decimal' : row.unit === 'bytes' ? 'text' : 'numeric'}
          value={texts[row.limit] ?? ''}
          error={wrong[row.limit]}
          onChange={(event) => onChange({ ...texts, [row.limit]: event.currentTarget.value })}
        />
      ))}
    </div>
  );
}

/** The networks that may use a key. */
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
