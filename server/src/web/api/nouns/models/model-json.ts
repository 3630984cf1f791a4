import Type, { type Static } from 'typebox';
import type { PriceOf } from '../../../../accounts/price-groups/price-group.ts';
import { amount, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { toIsoOrNull } from '../../../../base/std/iso-time.ts';
import { backgrounds, outputFormats } from '../../../../images/output.ts';
import { type Pause, pauseOf } from '../../../../jobs/admission/pause-store.ts';
import { offers } from '../../../../jobs/routes/coverage.ts';
import type { LiveRoutes } from '../../../../jobs/routes/live-routes.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import {
  actions,
  type Model,
  maxPromptLength,
  modes,
  type ParameterSchema,
  type Size,
} from '../../../../upstream/catalog/models.ts';
import { aspectRatio, modelId, resolution } from '../jobs/job-schemas.ts';

const pixels = Type.Object({ width: Type.Integer(), height: Type.Integer() }, { title: 'Size' });

export const modelSchema = Type.Object(
  {
    id: Type.String({ ...modelId }),
    name: Type.String(),
    description: Type.String(),
    action: oneOf(actions, {
      title: 'ImageAction',
      'x-open': true,
      description: 'The action. All but `generate` change one input image.',
    }),
    modes: Type.Array(oneOf(modes, { title: 'Mode' })),
    aspect_ratios: Type.Array(Type.String({ ...aspectRatio })),
    resolutions: Type.Array(
      Type.Object(
        {
          resolution: Type.String({ ...resolution }),
          price: amount('The price of one image for your account, in the currency of this installation.'),
          sizes: Type.Unsafe<Record<string, Size>>({
            type: 'object',
            additionalProperties: pixels,
            description: 'Width and height in pixels of each ratio.',
          }),
        },
        { title: 'ModelPrice' },
      ),
      { description: 'Smallest first.' },
    ),
    selectable: Type.Boolean({ description: 'Whether it takes the field `resolution`.' }),
    max_input_images: Type.Integer(),
    max_prompt_length: Type.Integer({ description: 'Characters.' }),
    parameters: Type.Unsafe<Record<string, ParameterSchema>>({
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: true },
      description: 'The parameters that the field `parameters` takes: a JSON Schema for each.',
    }),
    formats: Type.Array(oneOf(outputFormats, { title: 'OutputFormat' }), {
      description: 'The formats of `output_format`.',
    }),
    backgrounds: Type.Array(oneOf(backgrounds, { title: 'Background' }), {
      description: 'The values of `background`.',
    }),
    masks: Type.Boolean({ description: 'Whether it takes `mask_url`.' }),
    paused: Type.Boolean(),
    pause_reason: nullable(Type.String()),
    paused_until: nullable(time('The time at which the pause ends; null: not known.')),
  },
  { $id: 'Model' },
);

export const retentionSchema = Type.Object(
  {
    jobs_days: days('Jobs with everything that belongs to them, counted from their end.'),
    pictures_days: days('Results with their smaller images.'),
    prompts_days: days('Prompts and parameters.'),
    inputs_days: days('Input images of jobs.'),
    deliveries_days: days('Deliveries of webhooks with their attempts.'),
    idempotency_days: days('Idempotency keys.'),
    starred: Type.Integer({
      description:
        'The number of images with a star or in an album that are kept longer: those of the oldest jobs.',
    }),
  },
  {
    title: 'Retention',
    description: "The days for which your account's data is kept. Ledger entries are kept for ever.",
  },
);

function days(description: string) {
  return Type.Number({ description });
}

export function presentModel(
  model: Model,
  priceOf: PriceOf,
  pauses: readonly Pause[],
  routes: Pick<LiveRoutes, 'servantsOf'>,
): Static<typeof modelSchema> {
  const { id, name, description, action, ratios, auto, resolutions, selectable, maxInputs, parameters } =
    model;
  const pause = pauseOf(pauses, id);
  const isTransparent = offers(routes, id, ['background']);
  return {
    id,
    name,
    description,
    action,
    modes: [...model.modes],
    aspect_ratios: auto ? [...ratios, 'auto'] : [...ratios],
    resolutions: [...resolutions].map(([resolution, { sizes }]) => ({
      resolution,
      price: formatMicros(priceOf(model, resolution)),
      sizes: Object.fromEntries(sizes),
    })),
    selectable,
    max_input_images: maxInputs,
    max_prompt_length: maxPromptLength,
    parameters,
    formats: [...outputFormats],
    backgrounds: backgrounds.filter((one) => one !== 'transparent' || isTransparent),
    masks: offers(routes, id, ['mask']),
    paused: pause !== undefined,
    pause_reason: pause?.reason ?? null,
    paused_until: toIsoOrNull(pause?.until ?? null),
  };
}
