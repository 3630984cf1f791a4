import { commonRatios, longRatios, type ModelId } from '../catalog/models.ts';
import type { ProviderKind } from '../providers/create-provider.ts';
import { isOpenAi } from '../providers/openai/own-address.ts';
import type { RouteEntry } from '../routes/route-definition.ts';

type DefaultRoutes = Readonly<Record<ModelId, readonly RouteEntry[]>>;

/**
 * The routes of the specified models by a provider of which no more is known than its key and address; none where
 * that is not enough, as with ComfyUI, which needs a workflow.
 */
export function defaultRoutes(provider: ProviderKind, address?: string): DefaultRoutes {
  if (provider === 'openai' && address !== undefined && !isOpenAi(address)) return all(compatible);
  return byProvider[provider] ?? {};
}

function all(route: RouteEntry): DefaultRoutes {
  return { nb: [route], nb2: [route], pro: [route] };
}

// A local server. Most of them have one model, ignore its name, and make images of the size that their memory
// allows.
const compatible: RouteEntry = {
  provider: 'openai',
  model: 'stablediffusion',
  sizes: 'exact',
  upscale: true,
  slots: 2,
};

const byProvider: Partial<Record<ProviderKind, DefaultRoutes>> = {
  sketch: all({ provider: 'sketch' }),
  gemini: {
    nb: [{ provider: 'gemini', model: 'gemini-3.1-flash-lite-image' }],
    nb2: [{ provider: 'gemini', model: 'gemini-nano-banana-2.1' }],
    pro: [
      { provider: 'gemini', model: 'gemini-3-pro-image', ratios: [...commonRatios] },
      { provider: 'gemini', name: 'gemini-long', model: 'gemini-nano-banana-2.1', ratios: [...longRatios] },
    ],
  },
  // OpenAI makes nothing wider than 3:1 and at most 8 megapixels.
  openai: all({ provider: 'openai', model: 'gpt-image-2', fit: 'crop', upscale: true }),
  fal: {
    nb: [{ provider: 'fal', model: 'fal-ai/nano-banana-2' }],
    nb2: [{ provider: 'fal', model: 'fal-ai/nano-banana-2' }],
    pro: [
      { provider: 'fal', model: 'fal-ai/nano-banana-pro' },
      { provider: 'fal', name: 'fal-long', model: 'fal-ai/nano-banana-2', ratios: [...longRatios] },
    ],
  },
  replicate: {
    nb: [{ provider: 'replicate', model: 'google/nano-banana-2' }],
    nb2: [{ provider: 'replicate', model: 'google/nano-banana-2', fit: 'crop', upscale: true }],
    pro: [{ provider: 'replicate', model: 'google/nano-banana-pro', fit: 'crop', upscale: true }],
  },
  // FLUX makes nothing wider than 21:9, at most 4 megapixels and from at most 8 images.
  bfl: all({ provider: 'bfl', model: 'flux-2-pro', fit: 'crop', upscale: true }),
  automatic1111: all({ provider: 'automatic1111', upscale: true }),
};
