import type Type from 'typebox';
import { SettingError } from '../errors.ts';
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
import { CredentialsWithheld, credentialsFor, type Given, withheldAt } from './given-credentials.ts';
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
 * Makes no connection. Of the credentials that were given, the provider gets those for its address. @throws
 * SettingError that names what is missing, CredentialsWithheld where that was given for another address
 */
export function createProvider<Chosen extends ProviderKind>(
  { provider, settings }: ProviderChoice<Chosen>,
  given: readonly Given<CredentialsOf[Chosen]>[],
  guard: Guard,
): Provider {
  const make = makers[provider];
  const address = 'baseUrl' in settings ? settings.baseUrl : undefined;
  const credentials = credentialsFor(provider, address, given);
  const isWithheld = credentials === undefined && given.some(({ credentials: own }) => holdsAny(own));
  if (!isWithheld || address === undefined) return make(settings, credentials ?? {}, guard);
  const sentence = withheldAt(address);
  try {
    const made = make(settings, {}, guard);
    return { ...made, warnings: [...(made.warnings ?? []), `The ${sentence}.`] };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new CredentialsWithheld(`${error.message}; ${sentence}`, { cause: error });
  }
}

function holdsAny(credentials: object): boolean {
  return Object.values(credentials).some((one) => one !== undefined);
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
