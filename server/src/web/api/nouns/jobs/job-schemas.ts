import Type, { type Static } from 'typebox';
import { maxUrlLength } from '../../../../base/guard/check-url.ts';
import {
  amount,
  closed,
  named,
  nullable,
  nullableOneOf,
  oneOf,
  targetPattern,
  time,
  urlPattern,
} from '../../../../base/http/schemas.ts';
import { groupDigits } from '../../../../base/std/group-digits.ts';
import { fetchLimits } from '../../../../images/inputs/limits.ts';
import { extensions } from '../../../../images/media-types.ts';
import type { AskedOutput } from '../../../../images/output.ts';
import { type AskedDeadline, maxDeadlineSeconds } from '../../../../jobs/admission/deadline.ts';
import { maxKeyLength, maxPairs, maxValueLength } from '../../../../jobs/admission/metadata.ts';
import { jobErrorCodes, jobStatuses } from '../../../../jobs/job.ts';
import { maxTargetLength } from '../../../../notify/webhooks/webhook-target.ts';
import {
  allRatios,
  commonRatios,
  defaultResolution,
  type Mode,
  type Model,
  maxPromptLength,
  modes,
  type ParameterValue,
  resolutions,
} from '../../../../upstream/catalog/models.ts';
import { specifiedModels } from '../../../../upstream/catalog/specified-models.ts';
import { outputFields } from './output-fields.ts';
import { queueSchema } from './queue-schemas.ts';

// The ids of known models, for people and code generators. Other models may exist.
export const modelId = { title: 'ModelId', enum: specifiedModels.map(({ id }) => id), 'x-open': true };
export const aspectRatio = { title: 'AspectRatio', enum: [...allRatios, 'auto'], 'x-open': true };
export const resolution = { title: 'Resolution', enum: [...resolutions], 'x-open': true };
const parameterValue = Type.Unsafe<ParameterValue>({ type: ['string', 'number', 'boolean'] });

const inLists = 'only in lists, and where `include=tags` asks for it.';

export const keptUntilNote =
  'When the image is removed, with the prompt and the inputs at the latest; null when it stays, because the job has a star or is in an album. Only of jobs that have an image';

export const jobSchema = Type.Object(
  {
    job_id: Type.String({ format: 'uuid' }),
    status: oneOf(jobStatuses, { title: 'JobStatus' }),
    created_at: time('When the job was accepted.'),
    started_at: nullable(time('When processing began; repeated attempts do not change it.')),
    finished_at: nullable(time('When the job reached a terminal state.')),
    result: nullable(
      Type.Object({
        image_url: Type.Optional(
          Type.String({
            format: 'uri',
            description:
              'Valid for at least 24 hours from this answer; reads within an hour give the same link. Only missing once the image was deleted.',
          }),
        ),
        width: Type.Integer({ description: 'Pixels.' }),
        height: Type.Integer({ description: 'Pixels.' }),
        media_type: oneOf(Object.keys(extensions) as (keyof typeof extensions)[], {
          title: 'ImageMediaType',
        }),
        bytes: Type.Integer(),
        thumbnail_url: Type.Optional(
          Type.String({
            format: 'uri',
            description:
              'The image as WebP, at most 256 pixels wide: `image_url` with `w=256`. It also takes `w=768` and `w=1600`.',
          }),
        ),
        thumbhash: nullable(
          Type.String({
            description:
              'A placeholder of some 25 bytes in base64 (ThumbHash), to show while the image loads. It comes a moment after the image.',
          }),
        ),
        notes: Type.Optional(
          Type.Array(Type.String(), { description: 'How the image was made to fit, when it had to be.' }),
        ),
        image_deleted_at: Type.Optional(
          time('When the image was deleted, with the prompt and the inputs; absent otherwise.'),
        ),
      }),
      { title: 'JobResult', description: 'Present only when `status` is `done`.' },
    ),
    error: nullable(Type.String({ description: 'Why the job failed, a sentence for people.' })),
    model: Type.String({ ...modelId }),
    mode: oneOf(modes, { title: 'Mode' }),
    aspect_ratio: Type.String({
      ...aspectRatio,
      description: 'The ratio that is used; `auto` until it is known.',
    }),
    resolution: Type.String({ ...resolution }),
    price: amount('Reserved when created, captured when done, released when failed.'),
    error_code: nullableOneOf(jobErrorCodes, {
      title: 'JobErrorCode',
      'x-open': true,
      description: 'Why the job failed, for programs.',
    }),
    prompt: Type.String({ description: 'The prompt of the request, without NUL bytes.' }),
    parameters: Type.Optional(
      Type.Record(Type.String(), parameterValue, {
        description:
          'The parameters of the request, and defaults for the others; only of models that have any.',
      }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'The metadata of the request; only of jobs that have any.',
      }),
    ),
    deadline: Type.Optional(time('When it fails unless it is done; only of jobs that were given one.')),
    queue: Type.Optional(queueSchema),
    tags: Type.Optional(
      Type.Array(Type.String(), { description: `The tags in alphabetical order; ${inLists}` }),
    ),
    starred: Type.Optional(Type.Boolean({ description: `Whether it has a star; ${inLists}` })),
    kept_until: Type.Optional(nullable(time(`${keptUntilNote}; ${inLists}`))),
    key_id: Type.Optional(
      nullable(
        Type.String({
          format: 'uuid',
          description: `The key that made it; null when a person did, in the panel; ${inLists}`,
        }),
      ),
    ),
    origin: Type.Optional(
      Type.Object(
        {
          job_id: Type.String({ format: 'uuid', description: 'The job; it may be gone.' }),
          kind: oneOf(['input', 'again', 'edit'], {
            title: 'OriginKind',
            description: 'How this job uses it: as an input, repeated, or edited.',
          }),
        },
        { title: 'Origin', description: 'The job that this one comes from, if there is one.' },
      ),
    ),
    ...outputFields,
    input_images_urls: Type.Array(Type.String({ format: 'uri' }), {
      description:
        'The stored input images, in the order of the request: links that are valid as long as `image_url`. Empty for jobs from text.',
    }),
    mask_url: Type.Optional(
      Type.String({ format: 'uri', description: 'A link to the mask, if there is one.' }),
    ),
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
        description: 'The job in its current state; only with `Prefer: wait`.',
      }),
    ),
  },
  { $id: 'JobCreated' },
);

const promptRules = {
  minLength: 1,
  maxLength: maxPromptLength,
  description: 'The content of the image. NUL bytes are removed.',
  examples: ['a lighthouse at dusk'],
};

/** Model and mode decide which of the fields a call accepts. */
export type CreateBody = AskedDeadline &
  AskedOutput & {
    prompt: string;
    aspect_ratio: string;
    resolution?: string;
    callback_url?: string | null;
    input_images_urls?: string[];
    mask_url?: string;
    parameters?: Record<string, ParameterValue>;
    metadata?: Record<string, string>;
    origin?: { job_id: string; kind: 'again' | 'edit' };
  };

export function createBodySchema(model: Model, mode: Mode, name = nameOf(model)) {
  const { ratios, auto, selectable, maxInputs, parameters } = model;
  return Type.Unsafe<CreateBody>(
    Type.Object(
      {
        prompt: Type.String({
          ...promptRules,
          // NUL bytes are removed before this schema checks the length, so it needs no pattern. The document states the
          // resulting rule.
          'x-documented': { type: 'string', ...promptRules, pattern: '[^\\u0000]' },
        }),
        aspect_ratio: oneOf(auto ? [...ratios, 'auto'] : ratios, {
          title: ratioTitle(model),
          description: auto ? ratioNotes[mode] : 'Width to height.',
          examples: [ratios.includes('16:9') ? '16:9' : ratios[0]],
        }),
        ...(selectable && {
          resolution: Type.Optional(
            oneOf([...model.resolutions.keys()], {
              title: resolutionTitle(model),
              default: defaultResolution(model),
            }),
          ),
        }),
        ...(mode === 'url' && {
          input_images_urls: Type.Array(Type.String({ pattern: urlPattern, maxLength: maxUrlLength }), {
            minItems: 1,
            maxItems: maxInputs,
            examples: [['https://example.com/cat.jpg']],
            description: `JPEG, PNG, WebP or GIF, at most 40 MB (${groupDigits(fetchLimits.totalBytes)} bytes) together.`,
          }),
          mask_url: Type.Optional(
            Type.String({
              ...{ pattern: urlPattern, maxLength: maxUrlLength },
              examples: ['https://example.com/mask.png'],
              description:
                'A mask of the first input, with its shape: only white parts change, for models whose `masks` is true.',
            }),
          ),
        }),
        ...(Object.keys(parameters).length > 0 && {
          parameters: Type.Optional(parametersSchema(model, name)),
        }),
        metadata: Type.Optional(metadataSchema),
        ...deadlineFields,
        ...outputFields,
        origin: Type.Optional(originSchema),
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
        title: `${name}${mode === 'text' ? 'Text' : 'Url'}Generation`,
        additionalProperties: false,
      },
    ),
  );
}

const deadlineFields = {
  deadline: Type.Optional(
    Type.Unsafe<string | number>({
      type: ['string', 'integer'],
      format: 'date-time',
      ...{ minimum: 1, maximum: maxDeadlineSeconds },
      // Until version 1.0, `deadline` also accepts seconds, as it did before `deadline_seconds` existed. There is no
      // example, because its time would soon be past.
      'x-documented': time(
        'A time within two days. A job not done by then fails with `deadline_exceeded`, for free.',
      ),
    }),
  ),
  deadline_seconds: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: maxDeadlineSeconds, examples: [120, 3600] },
      description: 'The deadline in seconds from now, instead of `deadline`.',
    }),
  ),
};

/** The origin in a request. If a request has none, the job that made an input image is the origin. */
export const originSchema = closed(
  {
    job_id: Type.String({ format: 'uuid', description: 'A job of the same account.' }),
    kind: oneOf(['again', 'edit'], { title: 'OriginGivenKind' }),
  },
  {
    title: 'OriginGiven',
    description: 'The job that this one repeats or edits. It does not affect the image.',
  },
);

export const metadataSchema = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'Metadata',
  description: `Up to ${maxPairs} pairs of your own, such as an order or a customer: stored, shown with the job and in webhooks, and usable as a filter.`,
  maxProperties: maxPairs,
  propertyNames: { minLength: 1, maxLength: maxKeyLength },
  additionalProperties: { type: 'string', maxLength: maxValueLength },
  examples: [{ order: '1042' }],
});

function parametersSchema({ parameters }: Model, name: string) {
  return Type.Unsafe<Record<string, ParameterValue>>({
    type: 'object',
    title: `${name}Parameters`,
    description: 'Further wishes, as this model takes them.',
    // Operators write titles for people. In documents, a title would be the name of a schema, which must be unique.
    properties: Object.fromEntries(
      Object.entries(parameters).map(([parameter, { title, ...schema }]) => [
        parameter,
        title === undefined ? schema : { description: title, ...schema },
      ]),
    ),
    additionalProperties: false,
  });
}

/** The model's part of a schema's name. Empty for the two large models, which share their schemas while these are equal. */
export function nameOf({ id }: Model): string {
  return { nb: 'Fast', nb2: '', pro: '' }[id] ?? pascalCase(id);
}

/** `flux.1-dev` becomes `FluxDot1_dev`, so that no two models share a name. */
export function pascalCase(id: string): string {
  const text = id.replaceAll('-', '_').replaceAll('.', 'Dot');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Names a model's ratios. Models with a usual list of ratios share its name, in generated clients too. */
function ratioTitle(model: Model): string {
  const own = String(model.ratios);
  if (model.auto && own === String(allRatios)) return 'KnownAspectRatio';
  return !model.auto && own === String(commonRatios)
    ? 'FastAspectRatio'
    : `${pascalCase(model.id)}AspectRatio`;
}

function resolutionTitle(model: Model): string {
  const own = [...model.resolutions.keys()];
  return String(own) === String(resolutions) ? 'KnownResolution' : `${pascalCase(model.id)}Resolution`;
}

const ratioNotes = {
  text: 'Width to height. `auto` leaves the choice to the model.',
  url: 'Width to height. `auto` takes the supported ratio nearest to the first input.',
};
