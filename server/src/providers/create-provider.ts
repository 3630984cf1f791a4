import type Type from 'typebox';
import type { Guard } from '../guard/guard.ts';
import { createAutomatic1111 } from './automatic1111/automatic1111.ts';
import { Automatic1111Settings } from './automatic1111/settings.ts';
import { createAzure } from './azure/azure.ts';
import { type AzureCredentials, AzureSettings } from './azure/settings.ts';
import type { ServerLogin } from './base-url.ts';
import { createBedrock } from './bedrock/bedrock.ts';
import { type BedrockCredentials, BedrockSettings } from './bedrock/settings.ts';
import { createBfl } from './bfl/bfl.ts';
import { type BflCredentials, BflSettings } from './bfl/settings.ts';
import { createComfyUi } from './comfyui/comfyui.ts';
import { ComfyUiSettings } from './comfyui/settings.ts';
import { createFal } from './fal/fal.ts';
import { type FalCredentials, FalSettings } from './fal/settings.ts';
import { createGemini } from './gemini/gemini.ts';
import { type GeminiCredentials, GeminiSettings } from './gemini/settings.ts';
import { createOpenAi } from './openai/openai.ts';
import { type OpenAiCredentials, OpenAiSettings } from './openai/settings.ts';
import type { Provider } from './provider.ts';
import { createReplicate } from './replicate/replicate.ts';
import { type ReplicateCredentials, ReplicateSettings } from './replicate/settings.ts';
import { SketchSettings } from './sketch/settings.ts';
import { createSketch } from './sketch/sketch.ts';

/** The schema of each provider's settings in the configuration file, which never holds credentials. */
export const providerSettings = {
  sketch: SketchSettings,
  gemini: GeminiSettings,
  openai: OpenAiSettings,
  azure: AzureSettings,
  fal: FalSettings,
  replicate: ReplicateSettings,
  bfl: BflSettings,
  bedrock: BedrockSettings,
  comfyui: ComfyUiSettings,
  automatic1111: Automatic1111Settings,
} as const;

export type ProviderKind = keyof typeof providerSettings;
export type SettingsOf = { [Each in ProviderKind]: Type.Static<(typeof providerSettings)[Each]> };

/** A kind with the settings of that kind. */
export type ProviderChoice<Chosen extends ProviderKind = ProviderKind> = {
  [Each in Chosen]: { provider: Each; settings: SettingsOf[Each] };
}[Chosen];

/** What each provider is let in by. Never logged or shown. */
export interface CredentialsOf {
  sketch: Record<string, never>;
  gemini: GeminiCredentials;
  openai: OpenAiCredentials;
  azure: AzureCredentials;
  fal: FalCredentials;
  replicate: ReplicateCredentials;
  bfl: BflCredentials;
  bedrock: BedrockCredentials;
  comfyui: ServerLogin;
  automatic1111: ServerLogin;
}

/**
 * Makes no connection. `credentials` are for this address alone; `guard` checks the result links that upstreams
 * return. @throws SettingError that names what is missing
 */
export function createProvider<Chosen extends ProviderKind>(
  { provider, settings }: ProviderChoice<Chosen>,
  credentials: CredentialsOf[Chosen],
  guard: Guard,
): Provider {
  return makers[provider](settings, credentials, guard);
}

const makers: {
  [Each in ProviderKind]: (
    settings: SettingsOf[Each],
    credentials: CredentialsOf[Each],
    guard: Guard,
  ) => Provider;
} = {
  sketch: createSketch,
  gemini: createGemini,
  openai: createOpenAi,
  azure: createAzure,
  fal: createFal,
  replicate: createReplicate,
  bfl: createBfl,
  bedrock: createBedrock,
  comfyui: createComfyUi,
  automatic1111: createAutomatic1111,
};
