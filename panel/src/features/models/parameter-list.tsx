import type { ParameterSchema } from '@darkroom/server/panel-contract';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { t } from '../../languages/words.ts';
import { type Keyed, replaced, withField, without } from './draft.ts';
import classes from './editor.module.css';
import { NumberField, WordsField } from './text-fields.tsx';

export function ParameterList(props: {
  parameters: Keyed<ParameterSchema>[];
  errors: Record<string, string>;
  onChange: (parameters: Keyed<ParameterSchema>[]) => void;
}) {
  const { parameters, errors, onChange } = props;
  return (
    <>
      {parameters.map((one) => (
        <ParameterEntry
          key={one.key}
          parameter={one}
          errors={errors}
          onChange={(changed) => onChange(replaced(parameters, changed))}
          onRemove={() => onChange(without(parameters, one))}
        />
      ))}
    </>
  );
}

function ParameterEntry(props: {
  parameter: Keyed<ParameterSchema>;
  errors: Record<string, string>;
  onChange: (parameter: Keyed<ParameterSchema>) => void;
  onRemove: () => void;
}) {
  const { parameter, errors, onChange } = props;
  const { name, value } = parameter;
  const pointer = `/parameters/${name}`;
  const set = (field: string, to: unknown) => onChange({ ...parameter, value: withField(value, field, to) });
  const isNumber = value.type === 'integer' || value.type === 'number';
  return (
    <fieldset className={classes.entry}>
      <legend>{name || 'New parameter'}</legend>
      <div className={classes.fields}>
        <TextInput
          label="Name"
          placeholder="seed"
          value={name}
          error={errors[pointer]}
          onChange={(event) => onChange({ ...parameter, name: event.currentTarget.value })}
        />
        <NativeSelect
          label="Type"
          value={value.type}
          onChange={(event) => onChange({ ...parameter, value: retyped(value, event.currentTarget.value) })}
          data={types}
        />
        <Default parameter={parameter} error={errors[`${pointer}/default`]} onChange={onChange} />
        {isNumber && (
          <>
            <NumberField
              label="At least"
              value={value.minimum}
              error={errors[`${pointer}/minimum`]}
              onChange={(to) => set('minimum', to)}
            />
            <NumberField
              label="At most"
              value={value.maximum}
              error={errors[`${pointer}/maximum`]}
              onChange={(to) => set('maximum', to)}
            />
          </>
        )}
        {value.type === 'string' && (
          <>
            <WordsField
              label="One of"
              description="Leave empty for any text"
              value={value.enum ?? []}
              error={errors[`${pointer}/enum`]}
              onChange={(words) => set('enum', words.length > 0 ? words : undefined)}
            />
            <NumberField
              label="Characters at most"
              value={value.maxLength}
              error={errors[`${pointer}/maxLength`]}
              onChange={(to) => set('maxLength', to)}
            />
          </>
        )}
      </div>
      <TextInput
        label="Description"
        value={value.description ?? ''}
        error={errors[`${pointer}/description`]}
        onChange={(event) => set('description', event.currentTarget.value)}
      />
      <div>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={name ? `Remove ${name}` : 'Remove new parameter'}
          onClick={props.onRemove}
        >
          Remove
        </Button>
      </div>
    </fieldset>
  );
}

function Default(props: {
  parameter: Keyed<ParameterSchema>;
  error: string | undefined;
  onChange: (parameter: Keyed<ParameterSchema>) => void;
}) {
  const { parameter, error } = props;
  const { value } = parameter;
  const set = (to: unknown) => {
    const { default: _before, ...rest } = value;
    // `false` is a default too.
    const next = to === undefined ? rest : { ...rest, default: to };
    props.onChange({ ...parameter, value: next as ParameterSchema }); // the server checks it
  };
  if (value.type === 'boolean')
    return (
      <NativeSelect
        label="Default"
        value={value.default === undefined ? '' : String(value.default)}
        error={error}
        onChange={(event) =>
          set(event.currentTarget.value === '' ? undefined : event.currentTarget.value === 'true')
        }
        data={[{ value: '', label: t('None') }, 'true', 'false']}
      />
    );
  if (value.type === 'string')
    return (
      <TextInput
        label="Default"
        value={String(value.default ?? '')}
        error={error}
        onChange={(event) => set(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
      />
    );
  return <NumberField label="Default" value={value.default} error={error} onChange={set} />;
}

const types = [
  { value: 'integer', label: t('Whole number') },
  { value: 'number', label: t('Number') },
  { value: 'string', label: t('Text') },
  { value: 'boolean', label: t('Yes or no') },
];

/** Keeps only title and description, because limits and defaults depend on the type. */
function retyped({ title, description }: ParameterSchema, type: string): ParameterSchema {
  return {
    type: type as ParameterSchema['type'], // a type from the list above
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
}
