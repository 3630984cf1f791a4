import type { WorkflowFound } from '@darkroom/server/panel-contract';
import { Checkbox, NativeSelect } from '@mantine/core';
import { t } from '../../languages/words.ts';
import classes from './connections.module.css';

type Found = Extract<WorkflowFound, { ok: true }>;
export type Roles = Found['choice'];
type Spot = Found['candidates']['prompt'][number];

/** For each role, shows the workflow inputs that were found for it and the others that could fill it. */
export function WorkflowRoles(props: {
  found: Found;
  roles: Roles;
  onChange: (some: Partial<Roles>) => void;
}) {
  const { found, roles, onChange } = props;
  return (
    <div className={classes.roles}>
      {lists.map(({ role, label, none }) => (
        <NodeInputs
          key={role}
          label={label}
          none={none}
          spots={found.candidates[role]}
          found={found.choice[role]}
          chosen={roles[role]}
          onChange={(places) => onChange({ [role]: places })}
        />
      ))}
      <NativeSelect
        label="Image, the node that saves it"
        value={roles.output ?? ''}
        onChange={(event) => onChange({ output: event.currentTarget.value || null })}
        data={[
          ...(roles.output === null ? [{ value: '', label: t('None was found') }] : []),
          ...found.candidates.output.map(({ place, title }) => ({
            value: place,
            label: `${title} (${place})`,
          })),
        ]}
      />
    </div>
  );
}

const lists = [
  { role: 'prompt', label: t('Prompt'), none: t('No text was found.') },
  { role: 'width', label: t('Width'), none: t('None: images have the width of the workflow.') },
  { role: 'height', label: t('Height'), none: t('None: images have the height of the workflow.') },
  { role: 'seed', label: t('Seed'), none: t('None: the same prompt gives the same image.') },
  { role: 'images', label: t('Input images, in this order'), none: t('None: it makes images from text.') },
] as const;

function NodeInputs(props: {
  label: string;
  none: string;
  spots: Spot[];
  found: string[];
  chosen: string[];
  onChange: (places: string[]) => void;
}) {
  const { spots, chosen } = props;
  // The inputs that were found for this role stay visible even if none is chosen.
  const [shown, others] = [true, false].map((isShown) =>
    spots.filter(({ place }) => props.found.includes(place) === isShown),
  ) as [Spot[], Spot[]]; // one list for each of the two values
  const box = ({ place, title, value }: Spot) => (
    <Checkbox
      key={place}
      label={title}
      description={shorten(String(value))}
      checked={chosen.includes(place)}
      onChange={(event) =>
        props.onChange(
          event.currentTarget.checked ? [...chosen, place] : chosen.filter((one) => one !== place),
        )
      }
    />
  );
  return (
    <fieldset className={classes.role}>
      <legend>{props.label}</legend>
      {shown.map(box)}
      {chosen.length === 0 && <p className="small soft">{props.none}</p>}
      {others.length > 0 && (
        <details open={shown.length === 0 || undefined}>
          <summary className="soft">
            {t('{count, plural, =1 {Another place} other {# other places}}', { count: others.length })}
          </summary>
          {others.map(box)}
        </details>
      )}
    </fieldset>
  );
}

const shownLength = 80;

function shorten(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
