import { Base64Image, type Body, extension, formBody, jsonBody } from '../body.ts';
import { cleanWords, withoutNetworks, withoutServerArguments } from '../prompt-syntax.ts';
import type { ImageRequest, InputImage } from '../provider.ts';
import { setFields, takenOptions, takesAllBut } from '../set-fields.ts';
import type { OpenAiSettings } from './settings.ts';
import { openAiCapabilities, type SizeTable, sizeFor } from './sizes.ts';

interface OpenAiRequest {
  path: '/images/generations' | '/images/edits';
  body: Body;
}

/** Excludes `stream`, because the answer would then be a stream of events. */
export const openAiTakes = takesAllBut([
  'model',
  'prompt',
  'n',
  'size',
  'image',
  'image[]',
  'ref_images',
  'output_format',
  'response_format',
  'stream',
]);

export function toOpenAiRequest(
  settings: OpenAiSettings,
  table: SizeTable,
  request: ImageRequest,
): OpenAiRequest {
  const clean = (prompt: string) => (table === 'exact' ? plainPrompt(settings, prompt) : prompt);
  const common = commonFields(settings, table, { ...request, prompt: clean(request.prompt) });
  const fields = setFields(common, cleanWords(request.fields, clean));
  const { inputs } = request;
  if (inputs.length === 0) return { path: '/images/generations', body: jsonBody(fields) };
  if (settings.inputsBy === 'ref_images') {
    const references = inputs.map((input) => new Base64Image(input, 'plain'));
    return { path: '/images/generations', body: jsonBody({ ...fields, ref_images: references }) };
  }
  const wanted = takenOptions(openAiCapabilities(settings, table), request.options);
  const { inputFidelity } = settings;
  const texts = Object.entries({ ...(inputFidelity && { input_fidelity: inputFidelity }), ...fields }).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const mask = wanted.mask
    ? [{ name: 'mask', fileName: `mask.${extension(wanted.mask)}`, input: wanted.mask }]
    : [];
  return { path: '/images/edits', body: formBody(texts, [...inputs.map(toFile), ...mask]) };
}

function commonFields(settings: OpenAiSettings, table: SizeTable, request: ImageRequest) {
  const wanted = takenOptions(openAiCapabilities(settings, table), request.options);
  const { moderation } = settings;
  // GPT image models refuse `response_format`. Other models return a link unless they receive it.
  const asksFormat = table === 'exact' && settings.responseFormat !== 'none';
  return {
    model: settings.model,
    prompt: request.prompt,
    n: 1,
    size: sizeFor(table, request),
    ...(settings.quality ? { quality: settings.quality } : {}),
    // The request for an edit has no such field.
    ...(moderation && request.inputs.length === 0 ? { moderation } : {}),
    ...(wanted.background ? { background: wanted.background } : {}),
    ...(table === 'exact' ? {} : { output_format: 'png' }),
    ...(asksFormat ? { response_format: 'b64_json' } : {}),
  };
}

function plainPrompt({ promptNetworks, inputsBy }: OpenAiSettings, prompt: string): string {
  const words = withoutServerArguments(prompt);
  const plain = promptNetworks ? words : withoutNetworks(words);
  // Replaces the bar with a comma, because LocalAI reads a negative prompt after a bar.
  return inputsBy === 'ref_images' ? plain.replaceAll('|', ',') : plain;
}

/** A single image is named `image`; several are each named `image[]`, as in OpenAI's own client. */
function toFile(input: InputImage, index: number, all: readonly InputImage[]) {
  const fileName = `input-${index + 1}.${extension(input)}`;
  return { name: all.length === 1 ? 'image' : 'image[]', fileName, input };
}
