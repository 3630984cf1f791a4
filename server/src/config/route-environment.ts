import { readFileSync } from 'node:fs';
import { readAws } from '../aws/aws-settings.ts';
import type { FileModels } from '../catalog/file-models.ts';
import { specifiedModels } from '../catalog/specified-models.ts';
import { SettingError } from '../errors.ts';
import { isOpenAi } from '../providers/openai/own-address.ts';
import type { ProviderKeys } from '../routes/open-routes.ts';
import type { RouteEnvironment } from '../routes/resolve-routes.ts';
import { defaultRoutes } from './default-routes.ts';

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

/** Reads the keys, which must not be in a file or a log, and where they may go. @throws SettingError */
export function readKeys(env: Environment, models: FileModels): ProviderKeys {
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
    named: namedAddresses(env, models),
  };
}

/** Those of the environment, and of the file's routes that take their key from there. */
function namedAddresses(
  env: Environment,
  { definitions, routes }: FileModels,
): NonNullable<ProviderKeys['named']> {
  const ofRoutes = [...definitions.flatMap(({ routes: own = [] }) => own), ...Object.values(routes).flat()]
    .filter(({ connection }) => connection === undefined)
    .map(({ provider, baseUrl }) => ({ provider, address: baseUrl }));
  const ofEnvironment = Object.entries(addressVariables).map(([provider, name]) => ({
    provider,
    address: env[name],
  }));
  const all = [...ofRoutes, ...ofEnvironment].filter(
    (one): one is { provider: string; address: string } =>
      typeof one.address === 'string' && one.address !== '',
  );
  return Object.fromEntries(
    [...Map.groupBy(all, ({ provider }) => provider)].map(([provider, named]) => [
      provider,
      named.map(({ address }) => address),
    ]),
  );
}

/**
 * The first provider in this list that is configured serves every specified model. The order is that of
 * docs/guides/models.md.
 */
function impliedRoutes(env: Environment): RouteEnvironment['implied'] | undefined {
  if (env.GEMINI_API_KEY || env.GOOGLE_APPLICATION_CREDENTIALS) return defaultRoutes('gemini');
  if (env.OPENAI_BASE_URL && !isOpenAi(env.OPENAI_BASE_URL))
    return defaultRoutes('openai', env.OPENAI_BASE_URL);
  if (env.OPENAI_API_KEY) return defaultRoutes('openai');
  if (env.FAL_KEY) return defaultRoutes('fal');
  if (env.REPLICATE_API_TOKEN) return defaultRoutes('replicate');
  if (env.BFL_API_KEY) return defaultRoutes('bfl');
  if (env.COMFYUI_URL) return undefined;
  return defaultRoutes(env.AUTOMATIC1111_URL ? 'automatic1111' : 'sketch');
}

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
