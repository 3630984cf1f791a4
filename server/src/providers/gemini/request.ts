import { Base64Image } from '../body.ts';
import type { ImageRequest } from '../provider.ts';
import { setFields, takesAllBut } from '../set-fields.ts';

export const geminiTakes = takesAllBut([
  'contents',
  'generationConfig.responseModalities',
  'generationConfig.imageConfig.aspectRatio',
  'generationConfig.imageConfig.imageSize',
]);

/** The text first, then the images in the client's order. */
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
