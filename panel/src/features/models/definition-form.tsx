import type { ModelDefinition, OperatorModelDetail } from '@darkroom/server/panel-contract';
import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { Section } from '../../ui/page.tsx';
import { type Draft, keyed, withField } from './draft.ts';
import classes from './editor.module.css';
import { ParameterList } from './parameter-list.tsx';
import { ResolutionFields } from './resolution-fields.tsx';
import { RouteList } from './route-list.tsx';
import { NumberField, WordsField } from './text-fields.tsx';

interface Props {
  model: OperatorModelDetail;
  draft: Draft;
  /** The mistakes by JSON pointer. */
  errors: Record<string, string>;
  onChange: (draft: Draft) => void;
}

export function DefinitionForm(props: Props) {
  const { draft, errors, onChange } = props;
  return (
    <>
      <Section title="What it is">
        <Basics {...props} />
      </Section>
      <Section
        title="Resolutions and prices"
        actions={
          <Add
            what="resolution"
            onAdd={() =>
              onChange({
                ...draft,
                resolutions: [...draft.resolutions, keyed('', { price: '', megapixels: 1 })],
              })
            }
          />
        }
      >
        <ResolutionFields
          resolutions={draft.resolutions}
          errors={errors}
          onChange={(resolutions) => onChange({ ...draft, resolutions })}
        />
      </Section>
      <Section
        title="Parameters"
        hint="What requests may set beyond prompt and size"
        actions={
          <Add
            what="parameter"
            onAdd={() =>
              onChange({ ...draft, parameters: [...draft.parameters, keyed('', { type: 'integer' })] })
            }
          />
        }
      >
        <ParameterList
          parameters={draft.parameters}
          errors={errors}
          onChange={(parameters) => onChange({ ...draft, parameters })}
        />
      </Section>
      <Section
        title="Routes"
        hint={
          draft.base.order === 'cost'
            ? 'Cheapest first; neighbours with a weight share jobs'
            : 'From the top; neighbours with a weight share jobs'
        }
      >
        <CheapestFirst {...props} />
        <Routes {...props} />
      </Section>
    </>
  );
}

function Add({ what, onAdd }: { what: string; onAdd: () => void }) {
  return (
    <Button size="xs" variant="default" onClick={onAdd}>
      Add a {what}
    </Button>
  );
}

function Basics({ draft, errors, onChange }: Props) {
  const { base } = draft;
  const set = (field: keyof ModelDefinition, to: unknown) =>
    onChange({ ...draft, base: withField(base, field, to) });
  const setMode = (mode: 'text' | 'url', on: boolean) =>
    set('modes', on ? [...base.modes, mode] : base.modes.filter((one) => one !== mode));
  return (
    <>
      <div className={classes.basics}>
        <TextInput
          label="Name"
          value={base.name}
          error={errors['/name']}
          onChange={(event) => onChange({ ...draft, base: { ...base, name: event.currentTarget.value } })}
        />
        <NumberField
          label="Input images at most"
          value={base.maxInputs}
          error={errors['/maxInputs']}
          onChange={(to) => set('maxInputs', to)}
        />
        <WordsField
          label="Ratios"
          placeholder="1:1, 16:9"
          value={base.ratios}
          error={errors['/ratios']}
          onChange={(ratios) => onChange({ ...draft, base: { ...base, ratios } })}
        />
      </div>
      <Textarea
        label="Description"
        autosize
        minRows={1}
        value={base.description ?? ''}
        error={errors['/description']}
        onChange={(event) => set('description', event.currentTarget.value)}
      />
      <div className="row">
        <Checkbox
          label="From text"
          checked={base.modes.includes('text')}
          error={errors['/modes']}
          onChange={(event) => setMode('text', event.currentTarget.checked)}
        />
        <Checkbox
          label="From input images"
          checked={base.modes.includes('url')}
          onChange={(event) => setMode('url', event.currentTarget.checked)}
        />
        <Checkbox
          label="Ratio may be auto"
          checked={base.auto === true}
          onChange={(event) => set('auto', event.currentTarget.checked)}
        />
        <Checkbox
          label="Requests may name a resolution"
          checked={base.selectable !== false}
          onChange={(event) => {
            const { selectable: _before, ...rest } = base;
            onChange({
              ...draft,
              base: event.currentTarget.checked ? rest : { ...rest, selectable: false },
            });
          }}
        />
      </div>
    </>
  );
}

function CheapestFirst({ draft, errors, onChange }: Props) {
  const { base } = draft;
  const { order: _before, ...rest } = base;
  return (
    <Checkbox
      label="Cheapest first"
      description="By what an image costs there, including failed attempts of the last seven days; routes of unknown cost come last"
      checked={base.order === 'cost'}
      error={errors['/order']}
      onChange={(event) =>
        onChange({ ...draft, base: event.currentTarget.checked ? { ...base, order: 'cost' } : rest })
      }
    />
  );
}

function Routes({ model, draft, errors, onChange }: Props) {
  const { routes } = draft;
  if (!routes)
    return (
      <div className="stack tight">
        <p className="soft small">
          These come from the keys set in the environment. Give the model its own routes to order them and to
          set their limits and costs.
        </p>
        <div>
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              onChange({ ...draft, routes: model.implied_routes.map((route) => keyed('', route)) })
            }
          >
            Set routes
          </Button>
        </div>
      </div>
    );
  return (
    <RouteList
      routes={routes}
      choices={model}
      surroundings={{
        resolutions: draft.resolutions.map(({ name }) => name),
        parameters: draft.parameters.map(({ name }) => name),
        errors,
      }}
      onChange={(changed) => onChange({ ...draft, routes: changed })}
    />
  );
}
