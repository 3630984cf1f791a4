import { Textarea, TextInput } from '@mantine/core';
import { createContext, useContext, useEffect, useState } from 'react';
import { t } from '../../languages/words.ts';
import { AmountField } from '../../ui/form/amount-field.tsx';

interface FieldProps {
  label: string;
  description?: string;
  placeholder?: string;
  /** True if only screen readers get the label. */
  quiet?: boolean;
  error?: string | undefined;
}

/** A field for a number in the page's language, or nothing. Passes other text on, so that the server reports it. */
export function NumberField(
  props: FieldProps & { value: unknown; onChange: (value: number | string | undefined) => void },
) {
  const { value, onChange, quiet, ...rest } = props;
  const [text, setText] = useState(value === undefined ? '' : String(value));
  return (
    <AmountField
      {...rest}
      labelProps={labelOf(quiet)}
      value={text}
      onChange={(typed) => {
        setText(typed);
        const number = Number(typed);
        onChange(typed === '' ? undefined : Number.isFinite(number) ? number : typed);
      }}
    />
  );
}

/** A field for words separated by commas or spaces. */
export function WordsField(
  props: FieldProps & { value: readonly unknown[]; onChange: (words: string[]) => void },
) {
  const { value, onChange, ...rest } = props;
  const [text, setText] = useState(value.join(', '));
  return (
    <TextInput
      {...rest}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(event.currentTarget.value.split(/[\s,]+/).filter((word) => word !== ''));
      }}
    />
  );
}

/**
 * Counts the unreadable fields in a part of the form. While there are some, the part must not close, because their text
 * would be lost.
 */
export const UnreadableCount = createContext((_change: (before: number) => number): void => undefined);

export const wouldBeLost = t('Unreadable text would be lost. Correct or discard it first.');

/** A field whose text is read as a value. While the text is unreadable, the last value stays and the field says why. */
export function ParsedField<Value>(
  props: FieldProps & {
    value: Value;
    write: (value: Value) => string;
    /** @throws Error with a sentence for the person who types */
    read: (text: string) => Value;
    onChange: (value: Value) => void;
    maxRows?: number;
  },
) {
  const { value, write, read, onChange, error, quiet, ...rest } = props;
  const [text, setText] = useState(() => write(value));
  const [wrong, setWrong] = useState<string>();
  const count = useContext(UnreadableCount);
  const isUnreadable = wrong !== undefined;
  useEffect(() => {
    if (!isUnreadable) return;
    count((before) => before + 1);
    return () => count((before) => before - 1);
  }, [isUnreadable, count]);
  return (
    <Textarea
      {...rest}
      labelProps={labelOf(quiet)}
      autosize
      minRows={2}
      maxRows={props.maxRows ?? 20}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      value={text}
      error={wrong ?? error}
      onChange={(event) => {
        setText(event.currentTarget.value);
        try {
          onChange(read(event.currentTarget.value));
          setWrong(undefined);
        } catch (problem) {
          setWrong(problem instanceof Error ? problem.message : String(problem));
        }
      }}
    />
  );
}

function labelOf(quiet = false) {
  return quiet ? { className: 'sr-only' } : {};
}

export function readObject(text: string): Record<string, unknown> {
  const json: unknown = text.trim() === '' ? {} : JSON.parse(text);
  if (typeof json === 'object' && json !== null && !Array.isArray(json))
    return json as Record<string, unknown>;
  throw new Error(t('This must be a JSON object, { … }.'));
}

export function writeObject(value: object): string {
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);
}
