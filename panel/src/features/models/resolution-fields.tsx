import type { SizingDefinition } from '@darkroom/server/panel-contract';
import { CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { type Keyed, replaced, withField, without } from './draft.ts';
import classes from './editor.module.css';
import { rangeOf } from './price-table.tsx';
import { NumberField, ParsedField } from './text-fields.tsx';

interface FieldProps {
  resolution: Keyed<SizingDefinition>;
  errors: Record<string, string>;
  onChange: (resolution: Keyed<SizingDefinition>) => void;
}

export function ResolutionFields(props: {
  resolutions: Keyed<SizingDefinition>[];
  errors: Record<string, string>;
  onChange: (resolutions: Keyed<SizingDefinition>[]) => void;
}) {
  const { resolutions, errors, onChange } = props;
  const { currency } = useSession();
  const fieldsOf = (resolution: Keyed<SizingDefinition>): FieldProps => ({
    resolution,
    errors,
    onChange: (changed) => onChange(replaced(resolutions, changed)),
  });
  return (
    <DataTable
      caption="Resolutions"
      rows={resolutions}
      rowKey={({ key }) => key}
      columns={[
        { name: t('Name'), cell: (one) => <Name {...fieldsOf(one)} /> },
        { name: t('Price, {currency}', { currency }), cell: (one) => <Price {...fieldsOf(one)} /> },
        { name: t('Pixels'), cell: (one) => <Pixels {...fieldsOf(one)} /> },
        {
          name: t('Remove'),
          quiet: true,
          align: 'end',
          cell: (one) => (
            <CloseButton
              aria-label={`Remove ${titleOf(one)}`}
              onClick={() => onChange(without(resolutions, one))}
            />
          ),
        },
      ]}
    />
  );
}

function titleOf({ name }: Keyed<SizingDefinition>): string {
  return name || t('new resolution');
}

function Name({ resolution, errors, onChange }: FieldProps) {
  return (
    <TextInput
      aria-label={`Name of ${titleOf(resolution)}`}
      className={classes.short}
      placeholder="1K"
      value={resolution.name}
      error={errors[`/resolutions/${resolution.name}`]}
      onChange={(event) => onChange({ ...resolution, name: event.currentTarget.value })}
    />
  );
}

function Price({ resolution, errors, onChange }: FieldProps) {
  const { name, value } = resolution;
  return (
    <AmountField
      aria-label={`Price of an image at ${titleOf(resolution)}`}
      className={classes.short}
      placeholder="0.04"
      value={value.price}
      error={errors[`/resolutions/${name}/price`]}
      onChange={(price) => onChange({ ...resolution, value: { ...value, price } })}
    />
  );
}

function Pixels({ resolution, errors, onChange }: FieldProps) {
  const { name, value } = resolution;
  const set = (field: string, to: unknown) => onChange({ ...resolution, value: withField(value, field, to) });
  const number = (field: 'megapixels' | 'multipleOf', label: string) => (
    <NumberField
      label={`${label} of ${titleOf(resolution)}`}
      quiet
      value={value[field]}
      placeholder={field === 'multipleOf' ? '8' : '1'}
      error={errors[`/resolutions/${name}/${field}`]}
      onChange={(to) => set(field, to)}
    />
  );
  return (
    <div className={classes.pixels}>
      <NativeSelect
        aria-label={`Pixels of ${titleOf(resolution)}`}
        value={value.sizes ? 'exact' : 'area'}
        onChange={(event) => {
          const { sizes: _sizes, megapixels: _megapixels, multipleOf: _multiple, ...rest } = value;
          const other = event.currentTarget.value === 'exact' ? { sizes: {} } : { megapixels: 1 };
          onChange({ ...resolution, value: { ...rest, ...other } });
        }}
        data={[
          { value: 'area', label: t('By area') },
          { value: 'exact', label: t('By ratio') },
        ]}
      />
      {value.sizes ? (
        <ByRatio
          label={`Pixels of each ratio of ${titleOf(resolution)}`}
          sizes={value.sizes}
          onChange={(to) => set('sizes', to)}
        />
      ) : (
        <span className={classes.area}>
          {number('megapixels', t('Megapixels'))}{' '}
          <span className="soft">megapixels, sides in multiples of</span>{' '}
          {number('multipleOf', t('Multiples'))}
        </span>
      )}
    </div>
  );
}

type Sizes = NonNullable<SizingDefinition['sizes']>;

function ByRatio(props: { label: string; sizes: Sizes; onChange: (sizes: Sizes) => void }) {
  const { label, sizes, onChange } = props;
  // This is set only once. Otherwise the section would fold while a person types its first resolution.
  const [isOpenAtFirst] = useState(() => Object.keys(sizes).length === 0);
  return (
    <details open={isOpenAtFirst}>
      <summary className="soft">{rangeOf(Object.values(sizes))}</summary>
      <ParsedField
        label={label}
        quiet
        description="One ratio a line, width and height."
        maxRows={16}
        value={sizes}
        write={writeSizes}
        read={readSizes}
        onChange={onChange}
      />
    </details>
  );
}

function writeSizes(sizes: Sizes): string {
  return Object.entries(sizes)
    .map(([ratio, [width, height]]) => `${ratio}  ${width} × ${height}`)
    .join('\n');
}

function readSizes(text: string): Sizes {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line): [string, [number, number]] => {
      const [, ratio = '', width, height] = /^\s*(\d+:\d+)\s+(\d+)\s*[x×*]\s*(\d+)\s*$/.exec(line) ?? [];
      if (ratio === '')
        throw new Error(
          t('“{line}” is not a ratio and a size, such as 1:1 1024 × 1024.', { line: line.trim() }),
        );
      return [ratio, [Number(width), Number(height)]];
    }),
  );
}
