import type { AnswerOf, WorkflowFound } from '@darkroom/server/panel-contract';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { wrongAmount } from '../money/amount.ts';
import classes from './connections.module.css';
import { ModelNames, type Names, slugOf } from './model-names.tsx';
import { WorkflowRoles } from './workflow-roles.tsx';

type Found = Extract<WorkflowFound, { ok: true }>;

const allRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
const usualRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9'];

interface Draft {
  roles: Found['choice'];
  checkpoint: string | undefined;
  parameters: string[];
  names: Names;
  price: string;
  megapixels: string;
  ratios: string[];
}

/** Lets the operator confirm the roles found in a workflow, and makes a model of the workflow. */
export function WorkflowForm(props: {
  connection: string;
  workflow: string;
  fileName: string;
  found: Found;
  onMade: (changed: AnswerOf<'POST /panel/operator/connections/:name/workflow-models'>) => void;
}) {
  const { found } = props;
  const [draft, setDraft] = useState<Draft>(() => ({
    roles: found.choice,
    checkpoint: found.checkpoints?.present,
    parameters: found.parameters.map(({ name }) => name),
    names: namesOf(props.fileName),
    price: '',
    megapixels: String(areaOf(found)),
    ratios: found.choice.width.length > 0 ? usualRatios : ['1:1'],
  }));
  const change = (some: Partial<Draft>) => setDraft({ ...draft, ...some });
  const make = useSend('POST /panel/operator/connections/:name/workflow-models', [
    'GET /panel/operator/connections',
    'GET /panel/operator/models',
    'GET /api/v1/models',
    'GET /panel/accounts/:account_id/overview',
  ]);
  const { roles: choice, parameters, checkpoint, names, ratios } = draft;
  const body = {
    id: names.id,
    name: names.name.trim(),
    price: draft.price.trim(),
    ratios,
    megapixels: areaIn(draft),
    workflow: props.workflow,
    choice,
    parameters,
    ...(checkpoint !== undefined && { checkpoint }),
  };
  return (
    <>
      {found.missing.length > 0 && <Missing found={found} />}
      <Section title="What goes where" hint="Found in the workflow; change what is wrong">
        <div className="card padded">
          <WorkflowRoles
            found={found}
            roles={draft.roles}
            onChange={(some) => change({ roles: { ...draft.roles, ...some } })}
          />
        </div>
      </Section>
      {found.parameters.length > 0 && <Offered found={found} draft={draft} onChange={change} />}
      <Section title="The model">
        <div className={`stack ${classes.narrow}`}>
          <ModelFields found={found} draft={draft} errors={fieldErrors(make.error)} onChange={change} />
          <ProblemAlert error={make.error} />
          <div>
            <ActionButton
              why={whyNot(draft)}
              loading={make.isPending}
              onClick={() =>
                make.mutate({ params: { name: props.connection }, body }, { onSuccess: props.onMade })
              }
            >
              Add the model
            </ActionButton>
          </div>
        </div>
      </Section>
    </>
  );
}

interface Part {
  found: Found;
  draft: Draft;
  onChange: (some: Partial<Draft>) => void;
}

function Offered({ found, draft: { parameters }, onChange }: Part) {
  return (
    <Section title="What clients may set" hint="Present values are the defaults">
      <Checkbox.Group
        aria-label="Parameters"
        value={parameters}
        onChange={(chosen) => onChange({ parameters: chosen })}
      >
        <div className={`card padded ${classes.roles}`}>
          {found.parameters.map(({ name, schema }) => (
            <Checkbox
              key={name}
              value={name}
              label={<code>{name}</code>}
              description={[
                schema.description,
                schema.default && t('Now {default}.', { default: schema.default }),
              ]
                .filter(Boolean)
                .join(' ')}
            />
          ))}
        </div>
      </Checkbox.Group>
    </Section>
  );
}

function ModelFields({ found, draft, errors, onChange }: Part & { errors: Record<string, string> }) {
  const { currency } = useSession();
  const { names, checkpoint, price, megapixels, ratios } = draft;
  return (
    <>
      <ModelNames names={names} errors={errors} onChange={(next) => onChange({ names: next })} />
      {found.checkpoints && (
        <NativeSelect
          label="Checkpoint"
          description="One that the server has."
          value={checkpoint}
          onChange={(event) => onChange({ checkpoint: event.currentTarget.value })}
          data={found.checkpoints.files}
        />
      )}
      <AmountField
        label={`Price of an image, ${currency}`}
        placeholder="0.01"
        value={price}
        error={(price !== '' && wrongAmount(price)) || errors['/price']}
        onChange={(next) => onChange({ price: next })}
      />
      <TextInput
        label="Size, megapixels"
        description="1 is 1024 × 1024; sides are multiples of 16."
        inputMode="decimal"
        value={megapixels}
        error={errors['/megapixels']}
        onChange={(event) => onChange({ megapixels: event.currentTarget.value })}
      />
      <Checkbox.Group
        label="Ratios"
        value={ratios}
        onChange={(chosen) => onChange({ ratios: chosen })}
        error={errors['/ratios']}
      >
        <div className={classes.ratios}>
          {allRatios.map((ratio) => (
            <Checkbox key={ratio} value={ratio} label={ratio} />
          ))}
        </div>
      </Checkbox.Group>
    </>
  );
}

function Missing({ found }: { found: Found }) {
  return (
    <Notice tone="warn" title="Check this before you go on">
      <ul>
        {found.missing.map(({ detail }) => (
          <li key={detail}>{detail}</li>
        ))}
        {!found.asked && <li>The server did not answer, so its files and limits are not known.</li>}
      </ul>
    </Notice>
  );
}

function whyNot(draft: Draft): string | undefined {
  const { roles, names, price, ratios } = draft;
  const area = areaIn(draft);
  if (roles.prompt.length === 0) return t('Choose where the prompt goes.');
  if (roles.output === null) return t('The workflow has no node that saves an image.');
  if (names.name.trim() === '' || names.id === '') return t('Give it a name and an id.');
  if (wrongAmount(price)) return t('Enter the price of an image.');
  if (!(area >= 0.01 && area <= 64)) return t('Give a size between 0.01 and 64 megapixels.');
  return ratios.length === 0 ? t('Choose at least one ratio.') : undefined;
}

function areaIn({ megapixels }: Draft): number {
  return Number(megapixels.replace(',', '.'));
}

function namesOf(fileName: string): Names {
  const name = fileName
    .replace(/\.json$/i, '')
    .replace(/[_-]+/g, ' ')
    .trim();
  return { name, id: slugOf(name) };
}

const pixelsOfOne = 1024 * 1024;

/** The workflow's image area in megapixels; 1 if not found. */
function areaOf({ candidates, choice }: Found): number {
  const sideOf = (role: 'width' | 'height') =>
    Number(candidates[role].find(({ place }) => choice[role].includes(place))?.value ?? Number.NaN);
  const area = (sideOf('width') * sideOf('height')) / pixelsOfOne;
  return Number.isFinite(area) ? Math.round(area * 100) / 100 : 1;
}
