import type { Estimate, PanelModel, PlaygroundRequest } from '@darkroom/server/panel-contract';
import { SegmentedControl, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useAccount, useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { useSession } from '../../api/session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { LocalTime } from '../../ui/time.tsx';
import { useIdempotency } from '../jobs/idempotency.ts';
import type { Draft } from './draft.ts';
import { type InputImage, InputImages } from './input-images.tsx';
import { useLocalImages } from './local-images.ts';
import { ModelPicker } from './model-picker.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import classes from './playground-form.module.css';
import { RatioPicker } from './ratio-picker.tsx';

export function PlaygroundForm(props: {
  models: PanelModel[];
  model: PanelModel;
  draft: Draft;
  onChange: (some: Partial<Draft>) => void;
  onMade: (jobId: string) => void;
}) {
  const { model, draft, onChange } = props;
  const { currency } = useSession();
  const accountId = useAccountId();
  const once = useIdempotency();
  const estimate = useEstimate(accountId, model, draft);
  const make = useMutation({
    mutationFn: () => {
      const body = bodyOf(draft, model);
      const input = { params: { account_id: accountId }, body };
      return once(body, (idempotencyKey) =>
        send('POST /panel/accounts/:account_id/jobs', input, { idempotencyKey }),
      );
    },
    onSuccess: (answer) => props.onMade(answer.job_id),
  });
  const disabled = useAccount()?.disabled ?? false;
  const why = whyNot(draft, model, estimate, disabled);
  const local = useLocalImages({
    inputs: draft.inputs,
    max: model.max_input_images,
    enabled: model.modes.includes('url'),
    onBegin: () => onChange({ mode: 'image' }),
    onAdd: (inputs) => onChange({ inputs }),
  });
  const submit = () => {
    if (!why && !make.isPending) make.mutate();
  };

  return (
    <div className={classes.form}>
      <ModelPicker
        models={props.models}
        value={model.model}
        onChange={(value) => onChange({ model: value })}
      />
      {model.paused && <PausedNotice model={model} />}
      {model.modes.length > 1 && <ModePicker draft={draft} onChange={onChange} />}
      <Textarea
        label="Prompt"
        placeholder={
          draft.mode === 'text' ? 'What should the image show?' : 'What should be done with the images?'
        }
        autosize
        minRows={4}
        maxRows={14}
        maxLength={model.max_prompt_length}
        value={draft.prompt}
        onChange={(event) => onChange({ prompt: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
        }}
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
        ratios={model.aspect_ratios}
        value={draft.ratio}
        onChange={(ratio) => onChange({ ratio })}
      />
      {model.resolutions.length > 1 && <ResolutionPicker model={model} draft={draft} onChange={onChange} />}
      <ParameterFields
        parameters={model.parameters}
        values={draft.parameters}
        onChange={(parameters) => onChange({ parameters })}
      />
      <ProblemAlert error={make.error} />
      <div className={classes.submit}>
        <ActionButton why={why} loading={make.isPending} size="md" onClick={submit}>
          Make image{estimate && ` · ${estimate.price} ${currency}`}
        </ActionButton>
        <p className="small soft">{why ?? (estimate && <AfterIt estimate={estimate} />)}</p>
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

function AfterIt({ estimate }: { estimate: Estimate }) {
  return (
    <>
      Leaves <Money amount={estimate.available_after} />. Failed jobs are not charged.
    </>
  );
}

function PausedNotice({ model }: { model: PanelModel }) {
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

function ResolutionPicker(props: {
  model: PanelModel;
  draft: Draft;
  onChange: (some: Partial<Draft>) => void;
}) {
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

function useEstimate(accountId: string, model: PanelModel, draft: Draft): Estimate | undefined {
  const resolution = model.resolutions.find((one) => one.resolution === draft.resolution)?.resolution;
  return useRead(
    'GET /panel/accounts/:account_id/estimate',
    {
      params: { account_id: accountId },
      query: { model: model.model, ...(model.selectable && resolution && { resolution }) },
    },
    { keep: true },
  ).data;
}

/** Why the image cannot be made now. */
function whyNot(
  draft: Draft,
  model: PanelModel,
  estimate: Estimate | undefined,
  disabled: boolean,
): string | undefined {
  if (disabled) return 'This account is disabled.';
  if (model.paused) return `${model.name} is paused. Choose another model or try again later.`;
  if (estimate && !estimate.affordable) {
    return `This costs ${estimate.price}, and ${estimate.available} is available. Ask an operator to credit the account.`;
  }
  if (draft.prompt.trim() === '') return 'Write a prompt first.';
  if (draft.mode === 'image' && draft.inputs.length === 0) return 'Add an input image first.';
  return undefined;
}

function bodyOf(draft: Draft, model: PanelModel): PlaygroundRequest {
  const resolution = model.resolutions.find((one) => one.resolution === draft.resolution)?.resolution;
  return {
    model: model.model,
    prompt: draft.prompt,
    aspect_ratio: draft.ratio,
    ...(model.selectable && resolution && { resolution }),
    ...(Object.keys(draft.parameters).length > 0 && { parameters: draft.parameters }),
    ...(draft.mode === 'image' && { inputs: draft.inputs.map(inputOf) }),
  };
}

function inputOf(input: InputImage): { url: string } | { job_id: string } {
  return 'url' in input ? { url: input.url } : input;
}
