import { Base64Image } from '../body.ts';
import type { ImageRequest } from '../provider.ts';

/** The text first, then the images in the client's order. */
export function toGeminiRequest(request: ImageRequest, { imageSize }: { imageSize: boolean }) {
  const images = request.inputs.map((input) => ({
    inlineData: { mimeType: input.mediaType, data: new Base64Image(input, 'plain') },
  }));
  const size = imageSize ? { imageSize: request.resolution } : {};
  return {
    generationConfig: {
      responseModalities: ['IMAGE'],
      imageConfig: { aspectRatio: request.aspectRatio, ...size },
    },
    contents: [{ role: 'user', parts: [{ text: request.prompt }, ...images] }],
  };
}
