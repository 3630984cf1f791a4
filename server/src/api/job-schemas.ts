import Type, { type Static } from 'typebox';
import { bodyDefaults } from '../admission/fingerprint.ts';
import { allRatios, type ModelId, modelIds, models, modes, resolutions } from '../catalog/models.ts';
import { maxUrlLength } from '../guard/check-url.ts';
import {
  amount,
  named,
  nullable,
  nullableOneOf,
  oneOf,
  targetPattern,
  time,
  urlPattern,
} from '../http/schemas.ts';
import { fetchLimits, maxInputs } from '../inputs/limits.ts';
import { jobErrorCodes, jobStatuses } from '../jobs/job.ts';
import { maxTargetLength } from '../webhooks/endpoints/webhook-target.ts';

/** Characters, without NUL bytes. */
export const maxPromptLength = 32_768;

export const jobSchema = Type.Object(
  {
    job_id: Type.String({ format: 'uuid' }),
    status: oneOf(jobStatuses, { title: 'JobStatus' }),
    created_at: time('When the job was accepted.'),
    started_at: nullable(time('When processing began; kept when an attempt is repeated.')),
    finished_at: nullable(time('When the job reached a terminal state.')),
    result: nullable(
      Type.Object({
        image_url: Type.String({
          format: 'uri',
          description:
            'Valid for at least 24 hours from this answer; reads within an hour give the same link.',
        }),
        width: Type.Integer({ description: 'Pixels.' }),
        height: Type.Integer({ description: 'Pixels.' }),
        media_type: Type.Literal('image/png'),
        bytes: Type.Integer(),
        notes: Type.Optional(
          Type.Array(Type.String(), { description: 'How the image was made to fit, when it had to be.' }),
        ),
      }),
      { title: 'JobResult', description: 'Present only when `status` is `done`.' },
    ),
    error: nullable(Type.String({ description: 'Why the job failed, a sentence for people.' })),
    model: oneOf(modelIds, { title: 'ModelId' }),
    mode: oneOf(modes, { title: 'Mode' }),
    aspect_ratio: oneOf([...allRatios, 'auto'] as const, {
      title: 'AspectRatio',
      description: 'The ratio that is used; `auto` until it is known.',
    }),
    resolution: oneOf(resolutions, { title: 'Resolution' }),
    price: amount('Reserved when created, captured when done, released when failed.'),
    error_code: nullableOneOf(jobErrorCodes, {
      title: 'JobErrorCode',
      'x-open': true,
      description: 'Why the job failed, for programs.',
    }),
    prompt: Type.String({ description: 'As it was asked, without NUL bytes.' }),
    input_images_urls: Type.Array(Type.String({ format: 'uri' }), {
      description:
        'The input images as we keep them, in the order of the request: links that hold as long as `image_url`. Empty for jobs from text.',
    }),
  },
  { $id: 'Job' },
);

export const createdSchema = Type.Object(
  {
    job_id: Type.String({ format: 'uuid' }),
    status: Type.Literal('queued'),
    status_url: Type.String({ description: 'Relative path for polling.', examples: ['/api/v1/jobs/0199…'] }),
    job: Type.Optional(
      Type.Unsafe<Static<typeof jobSchema>>({
        ...named(jobSchema),
        description: 'The job as it is now; only with `Prefer: wait`.',
      }),
    ),
  },
  { $id: 'JobCreated' },
);

const promptRules = {
  minLength: 1,
  maxLength: maxPromptLength,
  description: 'What to show. NUL bytes are removed.',
  examples: ['a lighthouse at dusk'],
};

/** The fields of a create request; which of them a call takes depends on its model and mode. */
export interface CreateBody {
  prompt: string;
  aspect_ratio: string;
  resolution?: string;
  callback_url?: string | null;
  input_images_urls?: string[];
}

export function createBodySchema(model: ModelId, mode: 'text' | 'url') {
  const { ratios, selectable } = models[model];
  return Type.Unsafe<CreateBody>(
    Type.Object(
      {
        prompt: Type.String({
          ...promptRules,
          // Checked by the length alone, once NUL bytes are gone; clients may see what that comes to.
          'x-documented': { type: 'string', ...promptRules, pattern: '[^\\u0000]' },
        }),
        aspect_ratio: oneOf(selectable ? [...ratios, 'auto'] : ratios, {
          title: selectable ? 'AspectRatio' : 'FastAspectRatio',
          description: selectable ? ratioNotes[mode] : 'Width to height.',
          examples: ['16:9'],
        }),
        ...(selectable && {
          resolution: Type.Optional(
            oneOf(resolutions, {
              title: 'Resolution',
              default: bodyDefaults.resolution,
              description: '`1K` when left out.',
            }),
          ),
        }),
        ...(mode === 'url' && {
          input_images_urls: Type.Array(Type.String({ pattern: urlPattern, maxLength: maxUrlLength }), {
            minItems: 1,
            maxItems: maxInputs,
            examples: [['https://example.com/cat.jpg']],
            description: `JPEG, PNG, WebP or GIF, at most 40 MB (${fetchLimits.totalBytes.toLocaleString('en')} bytes) together.`,
          }),
        }),
        callback_url: Type.Optional(
          nullable(
            Type.String({
              pattern: targetPattern,
              maxLength: maxTargetLength,
              examples: ['https://example.com/darkroom'],
              description: "Called when the job is done or failed, instead of the account's webhook.",
            }),
          ),
        ),
      },
      {
        title: `${selectable ? '' : 'Fast'}${mode === 'text' ? 'Text' : 'Url'}Generation`,
        additionalProperties: false,
      },
    ),
  );
}

const ratioNotes = {
  text: 'Width to height. `auto` leaves the choice to the model.',
  url: 'Width to height. `auto` takes the supported ratio nearest to the first input.',
};
