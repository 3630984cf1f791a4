import { automatic1111Capabilities } from './automatic1111/automatic1111.ts';
import { azureCapabilities } from './azure/azure.ts';
import { bedrockCapabilities } from './bedrock/families.ts';
import { bflCapabilities, familyOf } from './bfl/families.ts';
import { comfyUiCapabilities } from './comfyui/comfyui.ts';
import type { ProviderChoice, ProviderKind, SettingsOf } from './create-provider.ts';
import { falCapabilities } from './fal/request.ts';
import { geminiCapabilities } from './gemini/capabilities.ts';
import { openAiCapabilities } from './openai/sizes.ts';
import type { Capabilities } from './provider.ts';
import { replicateCapabilities } from './replicate/request.ts';
import { sketchCapabilities } from './sketch/sketch.ts';

/** What a provider with these settings can make. Takes no credentials, which a process that only serves the API need not have. */
export function capabilitiesOf<Chosen extends ProviderKind>({
  provider,
  settings,
}: ProviderChoice<Chosen>): Capabilities {
  return table[provider](settings);
}

const table: { [Each in ProviderKind]: (settings: SettingsOf[Each]) => Capabilities } = {
  sketch: () => sketchCapabilities,
  gemini: geminiCapabilities,
  openai: (settings) => openAiCapabilities(settings),
  azure: azureCapabilities,
  fal: falCapabilities,
  replicate: replicateCapabilities,
  bfl: (settings) => bflCapabilities(settings, familyOf(settings)),
  bedrock: bedrockCapabilities,
  comfyui: comfyUiCapabilities,
  automatic1111: automatic1111Capabilities,
};
