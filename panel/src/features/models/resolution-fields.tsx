import type { SizingDefinition } from '@darkroom/server/panel-contract';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { type Keyed, keyed, replaced, withField, without } from './draft.ts';
import classes from './editor.module.css';
import { NumberField, ParsedField } from './text-fields.tsx';

/** The sizes of a model: their names, prices and pixels. */
export function ResolutionFields(props: {
  resolutions: Keyed<SizingDefinition>[];
  errors: Record<string, string>;
  onChange: (resolutions: Keyed<SizingDefinition>[]) => void;
}) {
  const { resolutions, errors, onChange } = props;
  return (
    <>
      <div className={classes.resolutions}>
        {resolutions.map((one) => (
          <ResolutionField
            key={one.key}
            resolution={one}
            errors={errors}
            onChange={(changed) => onChange(replaced(resolutions, changed))}
            onRemove={() => onChange(without(resolutions, one))}
          />
        ))}
      </div>
      <div>
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange([...resolutions, keyed('', { price: '', megapixels: 1 })])}
        >
          Add a resolution
        </Button>
      </div>
    </>
  );
}

function ResolutionField(props: {
  resolution: Keyed<SizingDefinition>;
  errors: Record<string, string>;
  onChange: (resolution: Keyed<SizingDefinition>) => void;
  onRemove: () => void;
}) {
  const { resolution, errors, onChange } = props;
  const { name, value } = resolution;
  const { currency } = useSession();
  const pointer = `/resolutions/${name}`;
  const set = (field: string, to: unknown) => onChange({ ...resolution, value: withField(value, field, to) });
  return (
    <fieldset className={classes.entry}>
      <legend>{name || 'New resolution'}</legend>
      <div className={classes.fields}>
        <TextInput
          label="Name"
          placeholder="1K"
          value={name}
          error={errors[pointer]}
          onChange={(event) => onChange({ ...resolution, name: event.currentTarget.value })}
        />
        <TextInput
          label={`Price of an image, ${currency}`}
          inputMode="decimal"
          placeholder="0.04"
          value={value.price}
          error={errors[`${pointer}/price`]}
          onChange={(event) =>
            onChange({ ...resolution, value: { ...value, price: event.currentTarget.value } })
          }
        />
        <NativeSelect
          label="Pixels"
          value={value.sizes ? 'exact' : 'area'}
          onChange={(event) => {
            const { sizes: _sizes, megapixels: _megapixels, multipleOf: _multiple, ...rest } = value;
            const other = event.currentTarget.value === 'exact' ? { sizes: {} } : { megapixels: 1 };
            onChange({ ...resolution, value: { ...rest, ...other } });
          }}
          data={[
            { value: 'area', label: 'From megapixels' },
            { value: 'exact', label: 'Exact, by ratio' },
          ]}
        />
        {!value.sizes && (
          <>
            <NumberField
              label="Megapixels"
              description="1 is 1024 × 1024"
              value={value.megapixels}
              error={errors[`${pointer}/megapixels`]}
              onChange={(to) => set('megapixels', to)}
            />
            <NumberField
              label="Sides are multiples of"
              description="8 unless set"
              value={value.multipleOf}
              error={errors[`${pointer}/multipleOf`]}
              onChange={(to) => set('multipleOf', to)}
            />
          </>
        )}
      </div>
      {value.sizes && (
        <ParsedField
          label="Pixels of each ratio"
          description="One ratio a line, width and height."
          maxRows={6}
          value={value.sizes}
          write={writeSizes}
          read={readSizes}
          onChange={(to) => set('sizes', to)}
        />
      )}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Remove ${name || 'new resolution'}`}
          onClick={props.onRemove}
        >
          Remove
        </Button>
      </div>
    </fieldset>
  );
}

type Sizes = NonNullable<SizingDefinition['sizes']>;

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
        throw new Error(`"${line.trim()}" is not a ratio and a size, such as 1:1 1024 × 1024.`);
      return [ratio, [Number(width), Number(height)]];
    }),
  );
}
