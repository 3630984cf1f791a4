import {
  backgrounds,
  type Output,
  outputFormats,
  outputMistake,
  readOutput,
} from '../../../images/output.ts';
import { cleanMetadata, maxPairs, metadataMistake } from '../../../jobs/admission/metadata.ts';
import type { Job } from '../../../jobs/job.ts';
import {
  type Model,
  nearestRatio,
  type ParameterSchema,
  type ParameterValue,
  type RequestedRatio,
  type Size,
} from '../../../upstream/catalog/models.ts';
import type { DoorDeps } from '../door-deps.ts';
import { wrongField } from '../door-errors.ts';
import { findModel } from '../find-model.ts';
import { nearestSize } from '../nearest-size.ts';
import { type Fields, oneOf, take, takeInteger, takeText, takeTrue } from './fields.ts';
import { isLinkModel, modelAliases } from './model-aliases.ts';
import { refuseUnhonoured } from './refuse-unhonoured.ts';
import { unknownModel } from './unknown-model.ts';

const qualities = ['auto', 'low', 'medium', 'high', 'xhigh', 'max', 'standard', 'hd'] as const;
type Quality = (typeof qualities)[number];

const maxImages = 10;
// OpenAI's limit on the length of the user's hash or name.
const maxUserLength = 512;

export interface ImageOptions {
  model: Model;
  prompt: string;
  ratio: RequestedRatio;
  /** Undefined if the model has only one resolution, or if neither size nor quality selects one. */
  resolution: string | undefined;
  parameters: Record<string, ParameterValue>;
  count: number;
  answerWith: 'url' | 'b64_json';
  output: Output | null;
  quality: Quality;
  stream: boolean;
  safetyIdentifier: string | undefined;
  metadata: Job['metadata'];
  /** Options without effect, which the answer lists. */
  ignored: readonly string[];
}

/** @throws AppError `invalid_request`, `not_found` for an unknown model, each with its field */
export function readOptions(deps: DoorDeps, sent: Fields, first?: Size): ImageOptions {
  const fields = { ...sent };
  const name = takeText(fields, 'model', 100);
  const model = findModel(deps, name, modelAliases);
  if (!model) throw unknownModel(deps, name ?? '');
  const ignored = refuseUnhonoured(fields, model);
  const quality = oneOf(fields, 'quality', qualities) ?? 'auto';
  const stream = takeTrue(fields, 'stream');
  const byDefault = name !== undefined && isLinkModel(name) && !stream ? 'url' : 'b64_json';
  const user = takeText(fields, 'user', maxUserLength);
  const safetyIdentifier = takeText(fields, 'safety_identifier', maxUserLength) || user;
  const options: ImageOptions = {
    model,
    prompt: takeText(fields, 'prompt') ?? '',
    ...readSize(model, takeText(fields, 'size', 20), { quality, first }),
    count: takeInteger(fields, 'n', { min: 1, max: maxImages }) ?? 1,
    answerWith: oneOf(fields, 'response_format', ['url', 'b64_json'] as const) ?? byDefault,
    output: readOutputFields(fields),
    quality,
    stream,
    safetyIdentifier,
    metadata: readMetadata(fields, safetyIdentifier),
    parameters: readParameters(model, fields),
    ignored,
  };
  assertTogether(options);
  return options;
}

/**
 * If the request has a size, selects the ratio and resolution nearest to it. Otherwise, the quality selects the
 * resolution, and the first image may set the ratio.
 */
function readSize(
  model: Model,
  size: string | undefined,
  { quality, first }: { quality: Quality; first: Size | undefined },
) {
  const { auto, selectable } = model;
  if (size === undefined || size === 'auto') {
    const shape = first ? nearestRatio(model, first) : (model.ratios[0] ?? '1:1');
    const ratio = auto ? 'auto' : shape;
    return { ratio, resolution: selectable ? resolutionOf(model, quality) : undefined };
  }
  const [, width = 0, height = 0] = (/^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(size) ?? []).map(Number);
  if (width === 0)
    throw wrongField('/size', 'The size must be auto, or a width and a height such as 1536x1024.');
  const { ratio, resolution } = nearestSize(model, { width, height });
  return { ratio, resolution: selectable ? resolution : undefined };
}

function resolutionOf({ resolutions }: Model, quality: Quality): string | undefined {
  const names = [...resolutions.keys()];
  switch (quality) {
    case 'auto':
      return undefined;
    case 'low':
    case 'medium':
    case 'standard':
      return names[0];
    case 'high':
    case 'hd':
      return names[1] ?? names[0];
    case 'xhigh':
    case 'max':
      return names.at(-1);
  }
}

function readOutputFields(fields: Fields): Output | null {
  const format = oneOf(fields, 'output_format', outputFormats);
  const compression = takeInteger(fields, 'output_compression', { min: 0, max: 100 });
  const background = oneOf(fields, 'background', backgrounds);
  const asked = {
    ...(format && { output_format: format }),
    ...(compression !== undefined && { output_compression: compression }),
    ...(background && { background }),
  };
  const mistake = outputMistake(asked);
  if (mistake) throw wrongField(`/${mistake.field}`, `${mistake.field} ${mistake.detail}`);
  return readOutput(asked);
}

/** Treats the remaining fields as parameters, as our own API does. */
function readParameters(model: Model, fields: Fields): Record<string, ParameterValue> {
  const parameters: Record<string, ParameterValue> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    const schema = Object.hasOwn(model.parameters, name) ? model.parameters[name] : undefined;
    if (!schema)
      throw wrongField(
        `/${name.slice(0, 100)}`,
        `The model ${model.id} has no parameter ${name.slice(0, 100)}.`,
      );
    parameters[name] = fromText(schema, value) as ParameterValue; // its schema is checked with the other fields
  }
  return parameters;
}

/** Converts a form's value to the type of the parameter, because all values of a form are text. */
function fromText({ type }: ParameterSchema, value: unknown): unknown {
  if (typeof value !== 'string' || type === 'string') return value;
  if (type === 'boolean') return value === 'true' || (value === 'false' ? false : value);
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
}

/** Keeps the request's user as `user`, unless the metadata already has a `user` or as many pairs as a job may have. */
function readMetadata(fields: Fields, user: string | undefined): Job['metadata'] {
  const sent = fromJson(take(fields, 'metadata') ?? {});
  const mistake = metadataMistake(sent);
  if (mistake) throw wrongField('/metadata', `metadata ${mistake}`);
  const pairs = sent as Record<string, string>; // it has no mistake
  return cleanMetadata(user && Object.keys(pairs).length < maxPairs ? { user, ...pairs } : pairs);
}

/** Parses an object in a form, where objects are sent as text. */
function fromJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function assertTogether({ answerWith, stream }: ImageOptions): void {
  if (answerWith === 'url' && stream)
    throw wrongField('/response_format', 'A stream sends images as b64_json; leave response_format out.');
}
