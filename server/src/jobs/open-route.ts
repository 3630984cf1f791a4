import { createProvider, type ProviderKind, type ProviderKinds } from '../providers/create-provider.ts';
import type { Provider } from '../providers/provider.ts';
import type { SketchSettings } from '../providers/sketch/settings.ts';
import { createSketch } from '../providers/sketch/sketch.ts';
import type { Route } from './route.ts';

/** A route as it is configured. Never holds a key. */
export type RouteSettings = Omit<Route, 'provider'> & ProviderChoice;

export type ProviderChoice =
  | { provider: 'sketch'; settings: SketchSettings }
  | { [Kind in ProviderKind]: { provider: Kind; settings: ProviderKinds[Kind]['settings'] } }[ProviderKind];

/** What opens the doors of the providers. Never logged, never shown. */
export type ProviderKeys = { [Kind in ProviderKind]?: ProviderKinds[Kind]['credentials'] };

/** The configured routes with their providers. @throws TypeError for a route whose provider cannot work */
export function openRoutes(settings: readonly RouteSettings[], keys: ProviderKeys): Route[] {
  return settings.map(({ provider, settings, ...route }) => ({
    ...route,
    provider: openProvider(route.id, { provider, settings } as ProviderChoice, keys), // taken apart a line above
  }));
}

/** The upstream's name of the model, as far as the settings say. */
export function upstreamOf({ provider, settings }: ProviderChoice): string | null {
  if (provider === 'sketch') return 'sketch-1';
  return settings.model ?? null;
}

function openProvider(id: string, choice: ProviderChoice, keys: ProviderKeys): Provider {
  if (choice.provider === 'sketch') return createSketch(choice.settings);
  try {
    return openHosted(choice, keys);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const variable = variables[choice.provider];
    const hint = variable ? ` (is ${variable} set?)` : '';
    throw new TypeError(`The route ${id} cannot work: ${error.message}${hint}.`, { cause: error });
  }
}

const variables: Partial<Record<ProviderKind, string>> = {
  gemini: 'GEMINI_API_KEY',
  openai: 'OPENAI_API_KEY',
  fal: 'FAL_KEY',
  replicate: 'REPLICATE_API_TOKEN',
};

function openHosted(choice: Exclude<ProviderChoice, { provider: 'sketch' }>, keys: ProviderKeys): Provider {
  switch (choice.provider) {
    case 'gemini':
      return createProvider('gemini', choice.settings, geminiKey(choice.settings, keys.gemini));
    case 'openai':
      return createProvider('openai', choice.settings, keys.openai ?? {});
    case 'fal':
      return createProvider('fal', choice.settings, keys.fal ?? { key: '' });
    case 'replicate':
      return createProvider('replicate', choice.settings, keys.replicate ?? { token: '' });
    case 'comfyui':
      return createProvider('comfyui', choice.settings, keys.comfyui ?? {});
    case 'automatic1111':
      return createProvider('automatic1111', choice.settings, keys.automatic1111 ?? {});
  }
}

/** A route that names a project or a place means Vertex AI; others prefer the key of the Gemini API. */
function geminiKey(
  { project, location }: ProviderKinds['gemini']['settings'],
  { apiKey, serviceAccount }: NonNullable<ProviderKeys['gemini']> = {},
): NonNullable<ProviderKeys['gemini']> {
  const vertex = serviceAccount !== undefined && (project !== undefined || location !== undefined || !apiKey);
  return vertex ? { serviceAccount } : { apiKey };
}
