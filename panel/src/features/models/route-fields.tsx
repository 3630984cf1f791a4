import type { OperatorModelDetail, RouteDefinition } from '@darkroom/server/panel-contract';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { withField } from './draft.ts';
import classes from './editor.module.css';
import { NumberField, ParsedField, readObject, writeObject } from './text-fields.tsx';

export interface RouteSurroundings {
  choices: Pick<OperatorModelDetail, 'connections' | 'providers'>;
  resolutions: string[];
  parameters: string[];
  errors: Record<string, string>;
  pointer: string;
}

interface Props {
  route: RouteDefinition;
  surroundings: RouteSurroundings;
  onChange: (route: RouteDefinition) => void;
}

/** The fields with their own inputs in the form. All others are the provider's settings. */
const known = [
  ...['connection', 'provider', 'name', 'model', 'slots', 'perMinute', 'timeoutSeconds'],
  ...['weight', 'cost', 'fit', 'upscale', 'parameters'],
];

export function RouteFields({ route, surroundings, onChange }: Props) {
  const { errors, pointer } = surroundings;
  const set = (field: string, to: unknown) => onChange(withField(route, field, to));
  const number = (field: string, label: string, description: string) => (
    <NumberField
      label={label}
      description={description}
      value={route[field]}
      error={errors[`${pointer}/${field}`]}
      onChange={(to) => set(field, to)}
    />
  );
  const entries = Object.entries(route);
  return (
    <>
      <div className={classes.fields}>
        <Through route={route} surroundings={surroundings} onChange={onChange} />
        <TextInput
          label="Model of the provider"
          placeholder="fal-ai/flux/dev"
          value={String(route.model ?? '')}
          error={errors[`${pointer}/model`]}
          onChange={(event) => set('model', event.currentTarget.value)}
        />
        <TextInput
          label="Name"
          placeholder="Of the connection or provider"
          value={String(route.name ?? '')}
          error={errors[`${pointer}/name`]}
          onChange={(event) => set('name', event.currentTarget.value)}
        />
        {number('slots', t('Slots'), t('Jobs at once'))}
        {number('perMinute', t('Attempts a minute'), t('No limit unless set'))}
        {number('timeoutSeconds', t('Time-out, seconds'), t('Of one attempt'))}
        {number('weight', t('Weight'), t('Shares jobs with its neighbours'))}
        <NativeSelect
          label="Other ratios"
          value={String(route.fit ?? '')}
          error={errors[`${pointer}/fit`]}
          onChange={(event) => set('fit', event.currentTarget.value)}
          data={[
            { value: '', label: t('Are not served') },
            { value: 'crop', label: t('Crop the nearest') },
            { value: 'extend', label: t('Extend the nearest') },
          ]}
        />
      </div>
      <Checkbox
        label="Enlarge what it makes for larger resolutions"
        checked={route.upscale === true}
        onChange={(event) => set('upscale', event.currentTarget.checked)}
      />
      <Costs route={route} surroundings={surroundings} onChange={onChange} />
      <ParameterPaths route={route} surroundings={surroundings} onChange={onChange} />
      <ParsedField
        label="Further settings of the provider, JSON"
        description="Such as baseUrl, maxInputs or a workflow."
        error={errors[pointer]}
        value={Object.fromEntries(entries.filter(([name]) => !known.includes(name)))}
        write={writeObject}
        read={readObject}
        onChange={(own) =>
          onChange({ ...Object.fromEntries(entries.filter(([name]) => known.includes(name))), ...own })
        }
      />
    </>
  );
}

function Through({ route, surroundings, onChange }: Props) {
  const { choices, errors, pointer } = surroundings;
  const { connection, provider, ...rest } = route;
  const value = connection === undefined ? `provider ${provider}` : `connection ${connection}`;
  const connections = choices.connections.map(({ name, provider: kind }) => ({
    value: `connection ${name}`,
    label: `${name} (${kind})`,
  }));
  return (
    <NativeSelect
      label="Through"
      value={value}
      error={errors[`${pointer}/connection`] ?? errors[`${pointer}/provider`]}
      onChange={(event) => {
        const [kind = '', ...name] = event.currentTarget.value.split(' ');
        onChange({ [kind]: name.join(' '), ...rest });
      }}
      data={[
        ...(connections.length > 0 ? [{ group: t('Connections'), items: connections }] : []),
        {
          group: t('Key of the environment'),
          items: choices.providers.map((name) => ({ value: `provider ${name}`, label: name })),
        },
      ]}
    />
  );
}

/** The cost per resolution. A single amount for all resolutions stays a single amount. */
function Costs({ route, surroundings, onChange }: Props) {
  const { currency } = useSession();
  const { resolutions, errors, pointer } = surroundings;
  const { cost } = route;
  const costs = (typeof cost === 'object' && cost !== null ? cost : {}) as Record<string, string>; // the shape in the schema
  const costOf = (resolution: string) => (typeof cost === 'string' ? cost : (costs[resolution] ?? ''));
  const set = (resolution: string, amount: string) => {
    const all = resolutions.map((one) => [one, one === resolution ? amount : costOf(one)] as const);
    const given = all.filter(([, text]) => text !== '');
    const isOne = given.length === all.length && given.every(([, text]) => text === amount);
    const next = given.length === 0 ? undefined : isOne ? amount : Object.fromEntries(given);
    onChange(withField(route, 'cost', next));
  };
  return (
    <div className={classes.fields}>
      {resolutions.map((resolution) => (
        <AmountField
          key={resolution}
          label={`Cost of an image at ${resolution}, ${currency}`}
          placeholder="Not known"
          value={costOf(resolution)}
          error={errors[`${pointer}/cost/${resolution}`] ?? errors[`${pointer}/cost`]}
          onChange={(amount) => set(resolution, amount)}
        />
      ))}
    </div>
  );
}

/** The path of each parameter in the upstream's request. */
function ParameterPaths({ route, surroundings, onChange }: Props) {
  const { parameters, errors, pointer } = surroundings;
  const paths = (route.parameters ?? {}) as Record<string, string>; // the shape in the schema
  if (parameters.length === 0) return null;
  const set = (name: string, path: string) => {
    const next = withField(paths, name, path);
    onChange(withField(route, 'parameters', Object.keys(next).length > 0 ? next : undefined));
  };
  return (
    <div className={classes.fields}>
      {parameters.map((name) => (
        <TextInput
          key={name}
          label={`Path of ${name}`}
          placeholder="Not honoured"
          value={paths[name] ?? ''}
          error={errors[`${pointer}/parameters/${name}`]}
          onChange={(event) => set(name, event.currentTarget.value)}
        />
      ))}
    </div>
  );
}
