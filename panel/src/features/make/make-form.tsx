import type { Model } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useAccount, useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { amount } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { LocalTime } from '../../ui/time.tsx';
import { InputImages } from '../inputs/input-images.tsx';
import { useRefused } from '../inputs/input-previews.ts';
import { useLocalImages } from '../inputs/local-images.ts';
import { leftOf, microsOf } from '../money/sum.ts';
import { Choices } from './choices/choices.tsx';
import type { Draft } from './draft.ts';
import { EditedFrom } from './edited-from.tsx';
import { useMake, useQuote } from './make.ts';
import classes from './make-form.module.css';
import { MakeProblem } from './make-problem.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import { makeWords, type Plan, planOf, wishOf } from './plan.ts';
import { PromptField } from './prompt-field.tsx';
import { usePrompts } from './prompts.ts';
import { fillTemplate, variablesOf } from './template.ts';

export function MakeForm(props: {
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
  // If the prompt is empty, the quote uses a sample prompt, so that it still reports other mistakes.
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
      <PromptField
        draft={draft}
        maxLength={model.max_prompt_length}
        prompts={prompts}
        values={values}
        onValues={setValues}
        onChange={(prompt) => onChange({ prompt })}
        onSubmit={submit}
      />
      <Choices models={props.models} model={model} draft={draft} plan={plan} onChange={onChange} />
      {model.paused && <PausedNotice model={model} />}
      <EditedFrom jobId={draft.editedFrom} onForget={() => onChange({ editedFrom: null })} />
      {draft.mode === 'image' && (
        <InputImages
          inputs={draft.inputs}
          max={model.max_input_images}
          local={local}
          onChange={(inputs) => onChange({ inputs })}
        />
      )}
      <ParameterFields
        parameters={model.parameters}
        values={draft.parameters}
        onChange={(parameters) => onChange({ parameters })}
      />
      <div className={classes.submit}>
        <MakeProblem make={make} />
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
  if (state.disabled) return t('This account is disabled.');
  const paused = plan.models.find((model) => model.paused);
  if (paused) return t('{name} is paused. Choose another model or try again later.', { name: paused.name });
  if (available !== undefined && microsOf(plan.total) > microsOf(available)) {
    return t('This costs {total}, and {available} is available. Ask an operator to credit the account.', {
      total: amount(plan.total),
      available: amount(available),
    });
  }
  if (quote?.detail) return quote.detail;
  if (draft.prompt.trim() === '') return t('Write a prompt first.');
  const open = variablesOf(draft.prompt).find((name) => !state.values[name]?.trim());
  if (open !== undefined) return t('Fill in {open} first.', { open });
  if (draft.mode === 'image' && draft.inputs.length === 0) return t('Add an input image first.');
  const [wrong] = draft.mode === 'image' ? state.refused : [];
  if (wrong !== undefined) return t('Image {wrong} cannot be used. Remove it first.', { wrong: wrong + 1 });
  return undefined;
}
