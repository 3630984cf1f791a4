import { randomInt } from 'node:crypto';
import { Base64Image } from '../body.ts';
import { coverInput, fitInput } from '../fit-input.ts';
import { fitSize } from '../fit-size.ts';
import type { ImageRequest } from '../provider.ts';
import { setFields, takesAllBut } from '../set-fields.ts';
import { type Family, familyOf } from './families.ts';
import type { BedrockSettings } from './settings.ts';

/** The maximum size of all inputs: Bedrock takes 25 MB per request, and base64 adds a third. */
const maxInputBytes = 18_000_000;
/** The sizes to which inputs are scaled, because an image gets its input's size. */
const stabilitySizes = { step: 16, minSide: 640, maxSide: 1536 };
const novaSizes = { step: 16, minSide: 320, maxSide: 4096, maxPixels: 2048 * 2048 };
/** The largest seed that Nova Canvas takes, plus one. */
const novaSeeds = 858_993_460;

export function bedrockTakes(family: Family): (path: string) => boolean {
  return family === 'nova' ? novaTakes : stabilityTakes;
}

const stabilityTakes = takesAllBut(['prompt', 'mode', 'image', 'aspect_ratio', 'output_format']);
const novaTakes = takesAllBut([
  'taskType',
  'textToImageParams.text',
  'imageVariationParams.text',
  'imageVariationParams.images',
  'imageGenerationConfig.width',
  'imageGenerationConfig.height',
  'imageGenerationConfig.numberOfImages',
]);

export async function toBedrockRequest(settings: BedrockSettings, request: ImageRequest) {
  const build = familyOf(settings) === 'nova' ? novaRequest : stabilityRequest;
  return setFields({ ...(await build(settings, request)), ...settings.extra }, request.fields);
}

async function stabilityRequest({ model, strength = 0.75 }: BedrockSettings, request: ImageRequest) {
  const [input] = request.inputs;
  const common = { prompt: request.prompt, output_format: 'png' };
  if (!input) return { ...common, aspect_ratio: request.aspectRatio };
  const image = await coverInput(input, fitSize(request, stabilitySizes));
  // Stable Image Ultra refuses the field `mode`, and infers the mode from the image.
  const mode = /\bsd3/.test(model) ? { mode: 'image-to-image' } : {};
  return { ...common, ...mode, image: new Base64Image(image, 'plain'), strength };
}

async function novaRequest(_settings: BedrockSettings, request: ImageRequest) {
  const { prompt: text, inputs } = request;
  const images: Base64Image[] = [];
  for (const input of inputs) {
    const maxBytes = Math.floor(maxInputBytes / inputs.length);
    const fitted = await fitInput(input, { maxBytes, maxPixels: novaSizes.maxPixels, withoutWebp: true });
    images.push(new Base64Image(fitted, 'plain'));
  }
  const task =
    images.length > 0
      ? { taskType: 'IMAGE_VARIATION', imageVariationParams: { images, text } }
      : { taskType: 'TEXT_IMAGE', textToImageParams: { text } };
  // The seed is random, because the default seed would always give a prompt the same image.
  const config = { ...fitSize(request, novaSizes), numberOfImages: 1, seed: randomInt(novaSeeds) };
  return { ...task, imageGenerationConfig: config };
}
