import { Base64Image } from '../body.ts';
import type { ImageRequest } from '../provider.ts';
import { setFields, takesAllBut } from '../set-fields.ts';

export const geminiTakes = takesAllBut([
  'contents',
  'generationConfig.responseModalities',
  'generationConfig.imageConfig.aspectRatio',
  'generationConfig.imageConfig.imageSize',
]);

export const interactionTakes = takesAllBut([
  'model',
  'input',
  'response_format.type',
  'response_format.aspect_ratio',
  'response_format.image_size',
  'store',
  'stream',
  'background',
]);

export function toGeminiRequest(request: ImageRequest, { imageSize }: { imageSize: boolean }) {
  const images = request.inputs.map((input) => ({
    inlineData: { mimeType: input.mediaType, data: new Base64Image(input, 'plain') },
  }));
  const size = imageSize ? { imageSize: request.resolution } : {};
  const body = {
    generationConfig: {
      responseModalities: ['IMAGE'],
      imageConfig: { aspectRatio: request.aspectRatio, ...size },
    },
    contents: [{ role: 'user', parts: [{ text: request.prompt }, ...images] }],
  };
  return setFields(body, request.fields);
}

/** Sets `store` to false, so that Google stores no result that would have to be deleted. */
export function toInteraction(
  request: ImageRequest,
  { model, imageSize }: { model: string; imageSize: boolean },
) {
  const images = request.inputs.map((input) => ({
    type: 'image',
    mime_type: input.mediaType,
    data: new Base64Image(input, 'plain'),
  }));
  const size = imageSize ? { image_size: request.resolution } : {};
  const body = {
    model,
    input: [{ type: 'text', text: request.prompt }, ...images],
    response_format: { type: 'image', aspect_ratio: request.aspectRatio, ...size },
    store: false,
  };
  return setFields(body, request.fields);
}
