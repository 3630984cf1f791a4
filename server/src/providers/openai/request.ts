import { Base64Image, type Body, extension, formBody, jsonBody } from '../body.ts';
import { withoutNetworks, withoutServerArguments } from '../prompt-syntax.ts';
import type { ImageRequest, InputImage } from '../provider.ts';
import type { OpenAiSettings } from './settings.ts';
import { type SizeTable, sizeFor } from './sizes.ts';

interface OpenAiRequest {
  path: '/images/generations' | '/images/edits';
  body: Body;
}

export function toOpenAiRequest(
  settings: OpenAiSettings,
  table: SizeTable,
  request: ImageRequest,
): OpenAiRequest {
  const fields = commonFields(settings, table, request);
  const { inputs } = request;
  if (inputs.length === 0) return { path: '/images/generations', body: jsonBody(fields) };
  if (settings.inputsBy === 'ref_images') {
    const references = inputs.map((input) => new Base64Image(input, 'plain'));
    return { path: '/images/generations', body: jsonBody({ ...fields, ref_images: references }) };
  }
  const fidelity = settings.inputFidelity ? { input_fidelity: settings.inputFidelity } : {};
  const texts = Object.entries({ ...fields, ...fidelity }).map(
    ([name, value]) => [name, String(value)] as const,
  );
  return { path: '/images/edits', body: formBody(texts, inputs.map(toFile)) };
}

function commonFields(settings: OpenAiSettings, table: SizeTable, request: ImageRequest) {
  // GPT image models refuse response_format; others return a link without it.
  const asksFormat = table === 'exact' && settings.responseFormat !== 'none';
  return {
    model: settings.model,
    prompt: table === 'exact' ? plainPrompt(settings, request.prompt) : request.prompt,
    n: 1,
    size: sizeFor(table, request),
    ...(settings.quality ? { quality: settings.quality } : {}),
    ...(settings.moderation && request.inputs.length === 0 ? { moderation: settings.moderation } : {}),
    ...(table === 'exact' ? {} : { output_format: 'png' }),
    ...(asksFormat ? { response_format: 'b64_json' } : {}),
  };
}

/** The prompt as a self-hosted server receives it. */
function plainPrompt({ promptNetworks, inputsBy }: OpenAiSettings, prompt: string): string {
  const words = withoutServerArguments(prompt);
  const plain = promptNetworks ? words : withoutNetworks(words);
  // LocalAI treats text after the bar as the negative prompt.
  return inputsBy === 'ref_images' ? plain.replaceAll('|', ',') : plain;
}

/** One image is `image`, several are `image[]`, as in OpenAI's own client. */
function toFile(input: InputImage, index: number, all: readonly InputImage[]) {
  const fileName = `input-${index + 1}.${extension(input)}`;
  return { name: all.length === 1 ? 'image' : 'image[]', fileName, input };
}
