import { createAutomatic1111 } from './automatic1111/automatic1111.ts';
import { type Automatic1111Credentials, Automatic1111Settings } from './automatic1111/settings.ts';
import { createComfyUi } from './comfyui/comfyui.ts';
import { type ComfyUiCredentials, ComfyUiSettings } from './comfyui/settings.ts';
import { createFal } from './fal/fal.ts';
import { type FalCredentials, FalSettings } from './fal/settings.ts';
import { createGemini } from './gemini/gemini.ts';
import { type GeminiCredentials, GeminiSettings } from './gemini/settings.ts';
import { createOpenAi } from './openai/openai.ts';
import { type OpenAiCredentials, OpenAiSettings } from './openai/settings.ts';
import type { Provider } from './provider.ts';
import { createReplicate } from './replicate/replicate.ts';
import { type ReplicateCredentials, ReplicateSettings } from './replicate/settings.ts';

export interface ProviderKinds {
  gemini: { settings: GeminiSettings; credentials: GeminiCredentials };
  openai: { settings: OpenAiSettings; credentials: OpenAiCredentials };
  fal: { settings: FalSettings; credentials: FalCredentials };
  replicate: { settings: ReplicateSettings; credentials: ReplicateCredentials };
  comfyui: { settings: ComfyUiSettings; credentials: ComfyUiCredentials };
  automatic1111: { settings: Automatic1111Settings; credentials: Automatic1111Credentials };
}
export type ProviderKind = keyof ProviderKinds;

/** What a configuration file may say of each kind. Credentials are never part of it. */
export const providerSettings = {
  gemini: GeminiSettings,
  openai: OpenAiSettings,
  fal: FalSettings,
  replicate: ReplicateSettings,
  comfyui: ComfyUiSettings,
  automatic1111: Automatic1111Settings,
} as const;

/** Throws `TypeError`, with a sentence that names what is missing, for settings that cannot work. Connects to nothing. */
export function createProvider<Kind extends ProviderKind>(
  kind: Kind,
  settings: ProviderKinds[Kind]['settings'],
  credentials: ProviderKinds[Kind]['credentials'],
): Provider {
  return makers[kind](settings, credentials);
}

const makers: {
  [Kind in ProviderKind]: (
    settings: ProviderKinds[Kind]['settings'],
    credentials: ProviderKinds[Kind]['credentials'],
  ) => Provider;
} = {
  gemini: createGemini,
  openai: createOpenAi,
  fal: createFal,
  replicate: createReplicate,
  comfyui: createComfyUi,
  automatic1111: createAutomatic1111,
};
