import { readFileSync } from 'node:fs';
import { readAws } from '../aws/aws-settings.ts';
import { commonRatios, longRatios } from '../catalog/models.ts';
import { specifiedModels } from '../catalog/specified-models.ts';
import { SettingError } from '../errors.ts';
import { isOpenAi } from '../providers/openai/own-address.ts';
import type { ProviderKeys } from '../routes/open-routes.ts';
import type { RouteEnvironment } from '../routes/resolve-routes.ts';
import type { RouteEntry } from '../routes/route-definition.ts';

type Environment = Record<string, string | undefined>;

/**
 * Reads what the environment says about routes. `routed` are models whose routes the file sets.
 *
 * @throws SettingError
 */
export function readRouteEnvironment(env: Environment, routed: readonly string[]): RouteEnvironment {
  const addresses = Object.entries(addressVariables).flatMap(([provider, name]) => {
    const text = env[name];
    if (text && !/^https?:\/\//.test(text))
      throw new SettingError(`${name} must be an address that starts with http:// or https://`);
    return text ? [[provider, text] as const] : [];
  });
  const implied = impliedRoutes(env);
  if (implied === undefined && specifiedModels.some(({ id }) => !routed.includes(id)))
    throw new SettingError(comfyUiAlone);
  return { implied: implied ?? {}, addresses: Object.fromEntries(addresses) };
}

/** Reads the keys, which must not be in a file or a log. @throws SettingError */
export function readKeys(env: Environment): ProviderKeys {
  const { GEMINI_API_KEY } = env;
  const serviceAccount = GEMINI_API_KEY ? quietly(() => readServiceAccount(env)) : readServiceAccount(env);
  return {
    gemini: { apiKey: GEMINI_API_KEY, serviceAccount },
    openai: { apiKey: env.OPENAI_API_KEY },
    openaiCompatible: { apiKey: env.OPENAI_COMPATIBLE_API_KEY },
    fal: { key: env.FAL_KEY },
    replicate: { token: env.REPLICATE_API_TOKEN },
    azure: { apiKey: env.AZURE_OPENAI_API_KEY },
    bfl: { apiKey: env.BFL_API_KEY },
    bedrock: { aws: quietly(() => readAws(env)) ?? undefined },
  };
}

/**
 * The first provider in this list that is configured serves every specified model. The order is that of
 * docs/guides/models.md.
 */
function impliedRoutes(env: Environment): RouteEnvironment['implied'] | undefined {
  const all = (route: RouteEntry) => ({ nb: [route], nb2: [route], pro: [route] });
  if (env.GEMINI_API_KEY || env.GOOGLE_APPLICATION_CREDENTIALS) return byGemini;
  if (env.OPENAI_BASE_URL && !isOpenAi(env.OPENAI_BASE_URL)) return all(compatible);
  if (env.OPENAI_API_KEY) return all(openai);
  if (env.FAL_KEY) return byFal;
  if (env.REPLICATE_API_TOKEN) return byReplicate;
  if (env.BFL_API_KEY) return all(bfl);
  if (env.COMFYUI_URL) return undefined;
  if (env.AUTOMATIC1111_URL) return all({ provider: 'automatic1111', upscale: true });
  return all({ provider: 'sketch' });
}

const byGemini: Record<string, RouteEntry[]> = {
  nb: [{ provider: 'gemini', model: 'gemini-3.1-flash-lite-image' }],
  nb2: [{ provider: 'gemini', model: 'gemini-nano-banana-2.1' }],
  pro: [
    { provider: 'gemini', model: 'gemini-3-pro-image', ratios: [...commonRatios] },
    { provider: 'gemini', name: 'gemini-long', model: 'gemini-nano-banana-2.1', ratios: [...longRatios] },
  ],
};

// A local server. Most of them have one model, ignore its name, and make images of the size that their memory
// allows.
const compatible: RouteEntry = {
  provider: 'openai',
  model: 'stablediffusion',
  sizes: 'exact',
  upscale: true,
  slots: 2,
};
// OpenAI makes nothing wider than 3:1 and at most 8 megapixels.
const openai: RouteEntry = { provider: 'openai', model: 'gpt-image-2', fit: 'crop', upscale: true };

// FLUX makes nothing wider than 21:9, at most 4 megapixels and from at most 8 images.
const bfl: RouteEntry = { provider: 'bfl', model: 'flux-2-pro', fit: 'crop', upscale: true };

const byFal: Record<string, RouteEntry[]> = {
  nb: [{ provider: 'fal', model: 'fal-ai/nano-banana-2' }],
  nb2: [{ provider: 'fal', model: 'fal-ai/nano-banana-2' }],
  pro: [
    { provider: 'fal', model: 'fal-ai/nano-banana-pro' },
    { provider: 'fal', name: 'fal-long', model: 'fal-ai/nano-banana-2', ratios: [...longRatios] },
  ],
};
const byReplicate: Record<string, RouteEntry[]> = {
  nb: [{ provider: 'replicate', model: 'google/nano-banana-2' }],
  nb2: [{ provider: 'replicate', model: 'google/nano-banana-2', fit: 'crop', upscale: true }],
  pro: [{ provider: 'replicate', model: 'google/nano-banana-pro', fit: 'crop', upscale: true }],
};

const comfyUiAlone =
  'COMFYUI_URL is set, but ComfyUI needs a workflow: name one in the routes of the configuration file (DARKROOM_CONFIG), as docs/providers/comfyui.md shows, or leave the variable out and add it with "darkroom connection add comfyui".';

const addressVariables = {
  gemini: 'GEMINI_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  comfyui: 'COMFYUI_URL',
  automatic1111: 'AUTOMATIC1111_URL',
  azure: 'AZURE_OPENAI_ENDPOINT',
} as const;

function readServiceAccount({ GOOGLE_APPLICATION_CREDENTIALS: path }: Environment): unknown {
  if (!path) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why =
      error instanceof SyntaxError
        ? 'it is not JSON'
        : String(error instanceof Error ? error.message : error);
    throw new SettingError(`GOOGLE_APPLICATION_CREDENTIALS: ${path} cannot be read: ${why}`);
  }
}

/** Many machines set credentials of Google or Amazon for another program, which Darkroom need not understand. */
function quietly<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
