import { type AskedOutput, outputFormats } from '../../../images/output.ts';
import type { ParameterValue } from '../../../upstream/catalog/models.ts';
import type { Fields, Named } from './fields.ts';

export interface GenerationConfig {
  aspectRatio: (Named & { value: string }) | undefined;
  imageSize: (Named & { value: string }) | undefined;
  output: AskedOutput;
  /** The sampling settings, for models with a parameter of that name. */
  sampling: Map<string, Named & { value: ParameterValue }>;
}

/**
 * The default values of Google's image models, which are accepted and change nothing. Another value has an effect only
 * if the model has a parameter for it.
 */
const sampling: Record<string, readonly ParameterValue[]> = {
  seed: [],
  temperature: [1],
  topP: [0.95, 1],
  topK: [40, 64],
  presencePenalty: [0],
  frequencyPenalty: [0],
};

export function readConfig(body: Fields): GenerationConfig {
  const result: GenerationConfig = {
    aspectRatio: undefined,
    imageSize: undefined,
    output: {},
    sampling: new Map(),
  };
  const config = body.object('generationConfig');
  if (!config) return result;
  readModalities(config);
  const image = config.object('imageConfig');
  result.aspectRatio = image?.text('aspectRatio');
  result.imageSize = image?.text('imageSize');
  const output = image?.object('imageOutputOptions');
  if (output) result.output = readOutputOptions(output);
  image?.end();
  const count = config.take('candidateCount');
  if (count && count.value !== 1) config.refuse(count.field, 'must be 1: send one request for each image.');
  const type = config.text('responseMimeType');
  if (type && type.value !== 'text/plain')
    config.refuse(type.field, 'is for text answers, but this service answers with images.');
  for (const [name, defaults] of Object.entries(sampling)) {
    const found = config.take(name);
    if (!found || defaults.includes(found.value as ParameterValue)) continue; // only compared
    if (isParameterValue(found)) result.sampling.set(name, found);
    else config.refuse(found.field, 'must be a number.');
  }
  // Accepts limits on text, because they have no effect on images.
  for (const name of ['maxOutputTokens', 'stopSequences']) config.take(name);
  readThinking(config);
  config.end();
  return result;
}

function readOutputOptions(options: Fields): AskedOutput {
  const format = readFormat(options);
  const quality = options.take('compressionQuality');
  if (quality && !isQuality(quality.value))
    options.refuse(quality.field, 'must be a whole number from 0 to 100.');
  if (quality && format.output_format !== 'jpeg') options.refuse(quality.field, 'is for image/jpeg.');
  options.end();
  return { ...format, ...(isQuality(quality?.value) && { output_compression: quality?.value }) };
}

export function readFormat(fields: Fields): Pick<AskedOutput, 'output_format'> {
  const type = fields.text('mimeType');
  if (!type) return {};
  const format = outputFormats.find((one) => type.value === `image/${one}`);
  if (format) return { output_format: format };
  fields.refuse(type.field, `must be one of ${outputFormats.map((one) => `image/${one}`).join(', ')}.`);
  return {};
}

function isQuality(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100;
}

export function readModalities(config: Fields): void {
  const modalities = config.list('responseModalities');
  const words = modalities.map(({ value }) => String(value).toUpperCase());
  const unknown = modalities.filter((_, at) => words[at] !== 'IMAGE' && words[at] !== 'TEXT');
  for (const { field } of unknown) config.refuse(field, 'must be IMAGE or TEXT.');
  if (words.length > 0 && unknown.length === 0 && !words.includes('IMAGE'))
    config.refuse(modalities[0]?.field ?? '', 'must include IMAGE: this service makes images.');
}

/** Accepts a thinking budget, because it is only an upper limit and can be ignored. Refuses a thinking level. */
function readThinking(config: Fields): void {
  const thinking = config.object('thinkingConfig');
  thinking?.take('thinkingBudget');
  thinking?.take('includeThoughts');
  thinking?.end();
}

/** Refuses stricter filters: clients would rely on them, but only the upstream filters. */
export function readSafety(body: Fields): void {
  for (const setting of body.objects('safetySettings')) {
    setting.take('category');
    setting.take('method');
    const threshold = setting.text('threshold');
    if (threshold && !laxThresholds.has(threshold.value))
      setting.refuse(
        threshold.field,
        'must be OFF, BLOCK_NONE or BLOCK_ONLY_HIGH: filters cannot be made stricter here.',
      );
    setting.end();
  }
}

const laxThresholds = new Set(['OFF', 'BLOCK_NONE', 'BLOCK_ONLY_HIGH', 'HARM_BLOCK_THRESHOLD_UNSPECIFIED']);

function isParameterValue(named: Named): named is Named & { value: ParameterValue } {
  return ['string', 'number', 'boolean'].includes(typeof named.value);
}
