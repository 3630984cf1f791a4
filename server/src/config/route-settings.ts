import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { readAws } from '../aws/aws-settings.ts';
import { commonRatios, longRatios, type ModelId, modelIds } from '../catalog/models.ts';
import { SettingError } from '../errors.ts';
import type { ProviderChoice } from '../providers/create-provider.ts';
import { isOpenAi } from '../providers/openai/own-address.ts';
import type { ProviderKeys, RouteSettings } from '../routes/open-routes.ts';
import type { ConfigFile, RouteEntry } from './config-file.ts';

type Environment = Record<string, string | undefined>;
type ProviderName = RouteEntry['provider'];

// Hosted models work on many images at once; a graphics card works on one at a time, slowly.
const hosted = { slots: 8, timeoutSeconds: 300 };
const atHome = { slots: 1, timeoutSeconds: 300 };
const defaults: Record<ProviderName, { slots: number; timeoutSeconds: number }> = {
  sketch: { slots: Math.max(2, availableParallelism()), timeoutSeconds: 120 },
  gemini: hosted,
  openai: hosted,
  azure: hosted,
  fal: hosted,
  replicate: hosted,
  bfl: hosted,
  bedrock: hosted,
  comfyui: atHome,
  automatic1111: atHome,
};

/**
 * The routes in the file; for models without any, the routes that the environment implies.
 *
 * @throws SettingError
 */
export function readRoutes({ routes = {} }: ConfigFile, env: Environment): RouteSettings[] {
  const entriesOf = (model: ModelId) => routes[model] ?? routesByEnvironment(model, env);
  const isReal = modelIds.flatMap(entriesOf).some(({ provider }) => provider !== 'sketch');
  return modelIds.flatMap((model) => {
    const own = routes[model];
    const entries = entriesOf(model);
    const ids = new Set<string>();
    return entries.map((entry, index) => {
      const place = own ? `/routes/${model}/${index}` : `the default route of ${model}`;
      const id = idOf(model, entry, ids, place);
      const safe = isReal ? withoutDirectives(entry, place) : entry;
      return toSettings({ id, model }, safe, withAddress(entry, env, place));
    });
  });
}

/**
 * Turns off the simulator's directives in prompts beside a provider that costs money.
 *
 * @throws SettingError
 */
function withoutDirectives(entry: RouteEntry, place: string): RouteEntry {
  if (entry.provider !== 'sketch') return entry;
  if (entry.directives || entry.crash)
    throw new SettingError(`${place}: orders in prompts are for tests, with no other provider than sketch`);
  return { ...entry, directives: false };
}

/** Reads the keys, which must not be in a file or a log. @throws SettingError */
export function readKeys(env: Environment): ProviderKeys {
  const {
    GEMINI_API_KEY,
    OPENAI_API_KEY,
    OPENAI_COMPATIBLE_API_KEY,
    FAL_KEY,
    REPLICATE_API_TOKEN,
    BFL_API_KEY,
  } = env;
  const serviceAccount = GEMINI_API_KEY ? quietly(() => readServiceAccount(env)) : readServiceAccount(env);
  return {
    gemini: { apiKey: GEMINI_API_KEY, serviceAccount },
    openai: { apiKey: OPENAI_API_KEY },
    openaiCompatible: { apiKey: OPENAI_COMPATIBLE_API_KEY },
    azure: { apiKey: env.AZURE_OPENAI_API_KEY },
    fal: { key: FAL_KEY },
    replicate: { token: REPLICATE_API_TOKEN },
    bfl: { apiKey: BFL_API_KEY },
    bedrock: { aws: quietly(() => readAws(env)) ?? undefined },
  };
}

/**
 * The first provider in this list that is configured serves every model. The order is that of
 * docs/guides/models.md.
 */
function routesByEnvironment(model: ModelId, env: Environment): RouteEntry[] {
  if (env.GEMINI_API_KEY || env.GOOGLE_APPLICATION_CREDENTIALS) return byGemini[model];
  if (env.OPENAI_BASE_URL && !isOpenAi(env.OPENAI_BASE_URL)) return [compatible];
  if (env.OPENAI_API_KEY) return [openai];
  if (env.FAL_KEY) return byFal[model];
  if (env.REPLICATE_API_TOKEN) return byReplicate[model];
  if (env.BFL_API_KEY) return [bfl];
  if (env.COMFYUI_URL) throw new SettingError(comfyUiAlone);
  if (env.AUTOMATIC1111_URL) return [{ provider: 'automatic1111', upscale: true }];
  return [{ provider: 'sketch' }];
}

const byGemini: Record<ModelId, RouteEntry[]> = {
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

const byFal: Record<ModelId, RouteEntry[]> = {
  nb: [{ provider: 'fal', model: 'fal-ai/nano-banana-2' }],
  nb2: [{ provider: 'fal', model: 'fal-ai/nano-banana-2' }],
  pro: [
    { provider: 'fal', model: 'fal-ai/nano-banana-pro' },
    { provider: 'fal', name: 'fal-long', model: 'fal-ai/nano-banana-2', ratios: [...longRatios] },
  ],
};
const byReplicate: Record<ModelId, RouteEntry[]> = {
  nb: [{ provider: 'replicate', model: 'google/nano-banana-2' }],
  nb2: [{ provider: 'replicate', model: 'google/nano-banana-2', fit: 'crop', upscale: true }],
  pro: [{ provider: 'replicate', model: 'google/nano-banana-pro', fit: 'crop', upscale: true }],
};

// FLUX makes nothing wider than 21:9, at most 4 megapixels and from at most 8 images.
const bfl: RouteEntry = { provider: 'bfl', model: 'flux-2-pro', fit: 'crop', upscale: true };

const comfyUiAlone =
  'COMFYUI_URL is set, but ComfyUI needs a workflow: name one in the routes of the configuration file (DARKROOM_CONFIG), as docs/providers/comfyui.md shows.';

const addressVariables = {
  gemini: 'GEMINI_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  azure: 'AZURE_OPENAI_ENDPOINT',
  comfyui: 'COMFYUI_URL',
  automatic1111: 'AUTOMATIC1111_URL',
} as const;

/** The route's own address, else the one in the environment. */
function withAddress(entry: RouteEntry, env: Environment, place: string): { baseUrl?: string } {
  if (entry.provider === 'sketch') return {};
  if (entry.baseUrl !== undefined) {
    const url = URL.parse(entry.baseUrl);
    if (!url)
      throw new SettingError(`${place}/baseUrl must be an address such as https://images.example.com`);
    if (url.password)
      throw new SettingError(
        `${place}/baseUrl carries a password; addresses with one belong in the environment`,
      );
    return { baseUrl: entry.baseUrl };
  }
  if (entry.provider === 'fal' || entry.provider === 'replicate') return {};
  if (entry.provider === 'bfl' || entry.provider === 'bedrock') return {};
  const name = addressVariables[entry.provider];
  const text = env[name];
  if (text && !/^https?:\/\//.test(text))
    throw new SettingError(`${name} must be an address that starts with http:// or https://`);
  if (text) return { baseUrl: text };
  if (entry.provider !== 'gemini' && entry.provider !== 'openai')
    throw new SettingError(`${place} needs a baseUrl, or ${name} in the environment`);
  return {};
}

function idOf(model: ModelId, { name, provider }: RouteEntry, taken: Set<string>, place: string): string {
  const wanted = `${model}/${name ?? provider}`;
  if (name !== undefined && taken.has(wanted))
    throw new SettingError(`${place}/name is "${name}", as that of another route of ${model}`);
  let id = wanted;
  for (let number = 2; taken.has(id); number += 1) id = `${wanted}-${number}`;
  taken.add(id);
  return id;
}

function toSettings(
  identity: { id: string; model: ModelId },
  entry: RouteEntry,
  address: { baseUrl?: string },
): RouteSettings {
  const { provider, name: _name, slots, timeoutSeconds, perMinute, fit, upscale, ...settings } = entry;
  return {
    ...identity,
    slots: slots ?? defaults[provider].slots,
    timeoutMs: (timeoutSeconds ?? defaults[provider].timeoutSeconds) * 1000,
    ...(perMinute !== undefined && { perMinute }),
    ...(fit !== undefined && { fit }),
    ...(upscale !== undefined && { upscale }),
    // The file's schema for a route, with its address, is that of the provider's settings.
    ...({ provider, settings: { ...settings, ...address } } as ProviderChoice),
  };
}

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
