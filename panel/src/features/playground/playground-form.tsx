import type { Model } from '@darkroom/server/panel-contract';
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useAccount, useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { LocalTime } from '../../ui/time.tsx';
import { InputImages } from '../inputs/input-images.tsx';
import { useRefused } from '../inputs/input-previews.ts';
import { useLocalImages } from '../inputs/local-images.ts';
import { leftOf, microsOf } from '../money/sum.ts';
import { CountPicker } from './count-picker.tsx';
import type { Draft } from './draft.ts';
import { EditedFrom } from './edited-from.tsx';
import { ratiosOf } from './empty-draft.ts';
import { useMake, useQuote } from './make.ts';
import { ModelPicker } from './model-picker.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import { makeWords, type Plan, planOf, wishOf } from './plan.ts';
import classes from './playground-form.module.css';
import { PromptField } from './prompt-field.tsx';
import { usePrompts } from './prompts.ts';
import { RatioPicker } from './ratio-picker.tsx';
import { fillTemplate, variablesOf } from './template.ts';

export function PlaygroundForm(props: {
  models: Model[];
  model: Model;
  draft: Draft;
  onChange: (some: Partial<Draft>) => void;
  onMade: (jobIds: string[]) => void;
}) {
  const { model, draft, onChange } = props;
  const { currency } = useSession();
  const accountId = useAccountId();
  const plan = planOf(draft, model, props.models);
  const prompts = usePrompts(accountId);
  const [values, setValues] = useState<Record<string, string>>({});
  const filled = fillTemplate(draft.prompt, values);
  // Before there is a prompt, what else may be wrong is told all the same.
  const quote = useQuote(wishOf(draft, plan, filled.trim() === '' ? 'an image' : filled));
  const balance = useRead('GET /api/v1/balance', { params: { account_id: accountId } }).data;
  const make = useMake((jobIds) => {
    prompts.remember(draft.prompt);
    props.onMade(jobIds);
  });
  const disabled = useAccount()?.disabled ?? false;
  const refused = useRefused(draft.inputs, model.max_input_images);
  const why = whyNot({ draft, plan, quote, available: balance?.available, disabled, values, refused });
  const local = useLocalImages({
    inputs: draft.inputs,
    max: model.max_input_images,
    enabled: model.modes.includes('url'),
    onBegin: () => onChange({ mode: 'image' }),
    onAdd: (inputs) => onChange({ inputs }),
  });
  const submit = () => {
    if (!why && !make.isPending) make.mutate(wishOf(draft, plan, filled));
  };
  return (
    <div className={classes.form}>
      <ModelPicker models={props.models} value={model.id} onChange={(value) => onChange({ model: value })} />
      {model.paused && <PausedNotice model={model} />}
      {model.modes.length > 1 && <ModePicker draft={draft} onChange={onChange} />}
      <EditedFrom jobId={draft.editedFrom} onForget={() => onChange({ editedFrom: null })} />
      <PromptField
        draft={draft}
        maxLength={model.max_prompt_length}
        prompts={prompts}
        values={values}
        onValues={setValues}
        onChange={(prompt) => onChange({ prompt })}
        onSubmit={submit}
      />
      {draft.mode === 'image' && (
        <InputImages
          inputs={draft.inputs}
          max={model.max_input_images}
          local={local}
          onChange={(inputs) => onChange({ inputs })}
        />
      )}
      <RatioPicker
        ratios={ratiosOf(model, draft)}
        value={draft.ratio}
        onChange={(ratio) => onChange({ ratio })}
      />
      {model.resolutions.length > 1 && <ResolutionPicker model={model} draft={draft} onChange={onChange} />}
      <ParameterFields
        parameters={model.parameters}
        values={draft.parameters}
        onChange={(parameters) => onChange({ parameters })}
      />
      <CountPicker draft={draft} model={model} models={props.models} plan={plan} onChange={onChange} />
      <ProblemAlert error={make.error} />
      <div className={classes.submit}>
        <ActionButton why={why} loading={make.isPending} size="md" onClick={submit}>
          {makeWords(plan, currency)}
        </ActionButton>
        <p className={`small soft ${classes.after}`}>
          {why ??
            (balance && `Leaves ${leftOf(balance.available, plan.total)}. Failed jobs are not charged.`)}
          <span className={classes.keys}>
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </span>
        </p>
      </div>
    </div>
  );
}

function ModePicker({ draft, onChange }: { draft: Draft; onChange: (some: Partial<Draft>) => void }) {
  return (
    <SegmentedControl
      aria-label="Start from"
      fullWidth
      value={draft.mode}
      onChange={(mode) => onChange({ mode: mode === 'image' ? 'image' : 'text' })}
      data={[
        { value: 'text', label: 'From text' },
        { value: 'image', label: 'From images' },
      ]}
    />
  );
}

function PausedNotice({ model }: { model: Model }) {
  return (
    <Notice tone="warn" title={`${model.name} is paused`}>
      <p>
        {model.pause_reason ?? 'An operator paused it.'}
        {model.paused_until && (
          <>
            {' '}
            Until <LocalTime at={model.paused_until} />.
          </>
        )}
      </p>
    </Notice>
  );
}

function ResolutionPicker(props: { model: Model; draft: Draft; onChange: (some: Partial<Draft>) => void }) {
  const { resolutions } = props.model;
  const chosen = resolutions.find(({ resolution }) => resolution === props.draft.resolution);
  const size = chosen?.sizes[props.draft.ratio];
  return (
    <div>
      <p className={classes.label} id="resolution">
        Resolution
      </p>
      <SegmentedControl
        aria-labelledby="resolution"
        fullWidth
        value={props.draft.resolution}
        onChange={(resolution) => props.onChange({ resolution })}
        data={resolutions.map(({ resolution, price }) => ({
          value: resolution,
          label: (
            <span className="number">
              {resolution} <span className={classes.price}>{price}</span>
            </span>
          ),
        }))}
      />
      {size && (
        <p className="tiny soft number" style={{ marginTop: 4 }}>
          {size.width} × {size.height} pixels
        </p>
      )}
    </div>
  );
}

/** Why the images cannot be made now. */
function whyNot(state: {
  draft: Draft;
  plan: Plan;
  quote: ReturnType<typeof useQuote>;
  available: string | undefined;
  disabled: boolean;
  values: Record<string, string>;
  refused: readonly number[];
}): string | undefined {
  const { draft, plan, quote, available } = state;
  if (state.disabled) return 'This account is disabled.';
  const paused = plan.models.find((model) => model.paused);
  if (paused) return `${paused.name} is paused. Choose another model or try again later.`;
  if (available !== undefined && microsOf(plan.total) > microsOf(available)) {
    return `This costs ${plan.total}, and ${available} is available. Ask an operator to credit the account.`;
  }
  if (quote?.detail) return quote.detail;
  if (draft.prompt.trim() === '') return 'Write a prompt first.';
  const open = variablesOf(draft.prompt).find((name) => !state.values[name]?.trim());
  if (open !== undefined) return `Fill in ${open} first.`;
  if (draft.mode === 'image' && draft.inputs.length === 0) return 'Add an input image first.';
  const [wrong] = draft.mode === 'image' ? state.refused : [];
  if (wrong !== undefined) return `Image ${wrong + 1} cannot be used. Remove it first.`;
  return undefined;
}
