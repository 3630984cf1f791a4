import type { CreateBody, Model } from '@darkroom/server/panel-contract';
import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { point, writtenAmount } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';

export type ParameterValues = NonNullable<CreateBody['parameters']>;
type Value = ParameterValues[string];
type Schema = Model['parameters'][string];

/** A field for each parameter. The request omits an empty field, so the parameter's default applies. */
export function ParameterFields(props: {
  parameters: Model['parameters'];
  values: ParameterValues;
  onChange: (values: ParameterValues) => void;
}) {
  const set = (name: string, value: Value | undefined) => {
    const { [name]: _before, ...others } = props.values;
    props.onChange(value === undefined ? others : { ...others, [name]: value });
  };
  return Object.entries(props.parameters).map(([name, schema]) => (
    <ParameterField
      key={name}
      name={name}
      schema={schema}
      value={props.values[name]}
      onChange={(value) => set(name, value)}
    />
  ));
}

function ParameterField(props: {
  name: string;
  schema: Schema;
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
}) {
  const { name, schema, value, onChange } = props;
  const label = schema.title ?? name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
  const common = {
    label,
    description: schema.description,
    placeholder: schema.default === undefined ? t('Left to the model') : String(schema.default),
  };
  if (schema.enum) {
    const known = new Map(schema.enum.map((one) => [String(one), one]));
    return (
      <Select
        {...common}
        clearable
        data={[...known.keys()]}
        value={value === undefined ? null : String(value)}
        onChange={(text) => onChange(text === null ? undefined : known.get(text))}
      />
    );
  }
  switch (schema.type) {
    case 'boolean':
      return (
        <Switch
          label={label}
          description={schema.description}
          checked={value === undefined ? schema.default === true : value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'string':
      return (
        <TextInput
          {...common}
          maxLength={schema.maxLength ?? longestText}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
    default:
      return (
        <NumberInput
          {...common}
          placeholder={schema.default === undefined ? common.placeholder : writtenAmount(common.placeholder)}
          decimalSeparator={point}
          {...(schema.minimum !== undefined && { min: schema.minimum })}
          {...(schema.maximum !== undefined && { max: schema.maximum })}
          allowDecimal={schema.type === 'number'}
          value={typeof value === 'number' ? value : ''}
          onChange={(given) => onChange(typeof given === 'number' ? given : undefined)}
        />
      );
  }
}

const longestText = 1_000;
