import { readOutput } from '../../../images/output.ts';
import { cleanMetadata, metadataMistake } from '../../../jobs/admission/metadata.ts';
import type { Job } from '../../../jobs/job.ts';
import type { Model, ParameterValue } from '../../../upstream/catalog/models.ts';
import { valueMistake } from '../../../upstream/catalog/parameters.ts';
import type { SentImage } from '../take-images.ts';
import { Fields, InvalidRequest, type Violation } from './fields.ts';
import { type GenerationConfig, readConfig, readSafety } from './read-config.ts';
import { readContents, readParts } from './read-contents.ts';

export interface ImageWish {
  prompt: string;
  inputs: SentImage[];
  /** Undefined, like `resolution`, if the request does not set it. */
  aspectRatio: string | undefined;
  resolution: string | undefined;
  parameters: Record<string, ParameterValue>;
  /** The labels of a Vertex AI request. */
  metadata: Job['metadata'];
  output: Job['output'];
  /** Settings without effect, which the answer lists. */
  ignored: string[];
}

export interface Said {
  instruction: readonly string[];
  texts: readonly string[];
  inputs: SentImage[];
  config: GenerationConfig;
}

/** @throws InvalidRequest with all unsupported parts, AppError for an invalid text */
export function readRequest(body: unknown, model: Model): ImageWish {
  const violations: Violation[] = [];
  const fields = new Fields({ field: '', value: body }, violations);
  const system = fields.object('systemInstruction');
  const instruction = system ? readInstruction(system) : [];
  const { texts, inputs } = readContents(fields);
  const config = readConfig(fields);
  fields.take('model');
  return toWish(fields, { instruction, texts, inputs, config }, { model, violations, place: 'contents' });
}

/** `place` is the field to blame if the model lacks a feature. @throws InvalidRequest with all unsupported parts */
export function toWish(
  fields: Fields,
  { instruction, texts, inputs, config }: Said,
  { model, violations, place }: { model: Model; violations: readonly Violation[]; place: string },
): ImageWish {
  readSafety(fields);
  const metadata = readLabels(fields);
  fields.end();
  if (texts.length === 0 && violations.length === 0)
    fields.refuse(place, 'must have a text that describes the image.');
  checkInputs(fields, inputs, { ...model, place });
  checkSize(fields, config, model);
  const { parameters, ignored } = readParameters(fields, config, model);
  if (violations.length > 0) throw new InvalidRequest(violations);
  return {
    prompt: [...instruction, ...texts].join('\n\n'),
    inputs,
    aspectRatio: config.aspectRatio?.value,
    // A model with a single resolution has no field for it.
    resolution: model.selectable ? config.imageSize?.value : undefined,
    parameters,
    metadata,
    output: readOutput(config.output),
    ignored,
  };
}

/** Image models have no system instruction, so it becomes the first paragraph of the prompt. */
function readInstruction(system: Fields): string[] {
  system.take('role');
  const { texts, inputs } = readParts(system);
  for (const { field } of inputs) system.refuse(field, 'must be in contents: only text is allowed here.');
  system.end();
  return texts;
}

function readLabels(fields: Fields): Job['metadata'] {
  const labels = fields.take('labels');
  if (!labels) return null;
  const mistake = metadataMistake(labels.value);
  if (mistake) fields.refuse(labels.field, mistake);
  return mistake ? null : cleanMetadata(labels.value as Record<string, string>); // it has no mistake
}

function checkInputs(
  fields: Fields,
  inputs: readonly SentImage[],
  { id, maxInputs, modes, place }: Model & { place: string },
): void {
  const [first] = inputs;
  const extra = inputs[maxInputs];
  if (first && !modes.includes('url'))
    fields.refuse(first.field, `is not supported: the model ${id} takes no images.`);
  else if (extra)
    fields.refuse(extra.field, `is one too many: the model ${id} takes at most ${maxInputs} images.`);
  if (!first && !modes.includes('text'))
    fields.refuse(place, `must have an image: the model ${id} changes images.`);
}

function checkSize(fields: Fields, { aspectRatio, imageSize }: GenerationConfig, model: Model): void {
  const { id, auto } = model;
  const ratios = auto ? [...model.ratios, 'auto'] : model.ratios;
  const sizes = [...model.resolutions.keys()];
  const mustBe = (list: readonly string[]) =>
    `must be one of the values of the model ${id}: ${list.join(', ')}.`;
  if (aspectRatio && !ratios.includes(aspectRatio.value)) fields.refuse(aspectRatio.field, mustBe(ratios));
  if (imageSize && !sizes.includes(imageSize.value)) fields.refuse(imageSize.field, mustBe(sizes));
}

/** Ignores settings for which the model has no parameter, because the image is a valid answer without them. */
function readParameters(fields: Fields, { sampling }: GenerationConfig, { parameters: known }: Model) {
  const parameters: Record<string, ParameterValue> = {};
  const ignored: string[] = [];
  for (const [name, { field, value }] of sampling) {
    const schema = known[name];
    const mistake = schema && valueMistake(schema, value);
    if (!schema) ignored.push(name);
    else if (mistake) fields.refuse(field, mistake);
    else parameters[name] = value;
  }
  return { parameters, ignored };
}
