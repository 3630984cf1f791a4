import type { TObject } from 'typebox';
import type { RateUnit } from '../prices/rates.ts';
import { automatic1111Descriptor } from './automatic1111/descriptor.ts';
import { azureDescriptor } from './azure/descriptor.ts';
import { bedrockDescriptor } from './bedrock/descriptor.ts';
import { bflDescriptor } from './bfl/descriptor.ts';
import { comfyUiDescriptor } from './comfyui/descriptor.ts';
import type { ConnectableDescriptor, ProviderDescriptor } from './descriptor.ts';
import { falDescriptor } from './fal/descriptor.ts';
import { geminiDescriptor } from './gemini/descriptor.ts';
import { openAiDescriptor } from './openai/descriptor.ts';
import type { Capabilities } from './provider.ts';
import { replicateDescriptor } from './replicate/descriptor.ts';
import { sketchDescriptor } from './sketch/descriptor.ts';

/** The providers, in the order in which operators see them and the environment selects one. */
const list = {
  sketch: sketchDescriptor,
  gemini: geminiDescriptor,
  openai: openAiDescriptor,
  azure: azureDescriptor,
  fal: falDescriptor,
  replicate: replicateDescriptor,
  bfl: bflDescriptor,
  bedrock: bedrockDescriptor,
  comfyui: comfyUiDescriptor,
  automatic1111: automatic1111Descriptor,
};

export type ProviderKind = keyof typeof list;
export type SettingsOf = { [Each in ProviderKind]: Parameters<(typeof list)[Each]['create']>[0] };
/** The credentials of each provider. Never logged or shown. */
export type CredentialsOf = { [Each in ProviderKind]: Parameters<(typeof list)[Each]['create']>[1] };

export type ProviderChoice<Chosen extends ProviderKind = ProviderKind> = {
  [Each in Chosen]: { provider: Each; settings: SettingsOf[Each] };
}[Chosen];

export const providers: {
  readonly [Each in ProviderKind]: ProviderDescriptor<SettingsOf[Each], CredentialsOf[Each]>;
} = list;
export const providerKinds = Object.keys(list) as ProviderKind[]; // `list` is a literal

export const providerSettings = Object.fromEntries(
  providerKinds.map((kind) => [kind, providers[kind].settings]),
) as Record<ProviderKind, TObject>; // one per kind

/** The providers that can be connected; `sketch` always exists. */
export type Connectable = {
  [Each in ProviderKind]: (typeof list)[Each] extends { connection: object } ? Each : never;
}[ProviderKind];

export const connectable: {
  readonly [Each in Connectable]: ConnectableDescriptor<SettingsOf[Each], CredentialsOf[Each]>;
} = list;
export const connectables = providerKinds.filter(isConnectable);

export function isProvider(name: string): name is ProviderKind {
  return Object.hasOwn(list, name);
}

export function isConnectable(name: string): name is Connectable {
  return isProvider(name) && 'connection' in list[name];
}

export function reportedUnits(name: string): readonly RateUnit[] {
  return (isProvider(name) && providers[name].reports) || [];
}

export function listReported(): { provider: string; name: string; units: RateUnit[] }[] {
  return connectables.flatMap((provider) => {
    const units = [...reportedUnits(provider)];
    return units.length > 0 ? [{ provider, name: connectable[provider].connection.name, units }] : [];
  });
}

export function capabilitiesOf<Chosen extends ProviderKind>({
  provider,
  settings,
}: ProviderChoice<Chosen>): Capabilities {
  return providers[provider].capabilitiesOf(settings);
}

export const billFormats = providerKinds.flatMap((provider) =>
  (providers[provider].bills ?? []).map((format) => ({ ...format, provider })),
);

export function addressVariable(kind: ProviderKind): string | undefined {
  return providers[kind].environment.variables.find(({ holds }) => holds === 'address')?.name;
}

/** Describes the defaults, such as "8 (1 for ComfyUI and AUTOMATIC1111)", the most common value first. */
export function sayUsual(what: 'slots' | 'timeoutSeconds'): string {
  const kinds = Map.groupBy(providerKinds, (kind) => {
    const { usual } = providers[kind];
    return (what === 'slots' && usual.slotsAbout) || String(usual[what]);
  });
  const [[most] = [], ...others] = [...kinds].toSorted(([, one], [, other]) => other.length - one.length);
  const nameOf = (kind: ProviderKind) => (isConnectable(kind) ? connectable[kind].connection.name : kind);
  return `${most} (${others.map(([value, of]) => `${value} for ${of.map(nameOf).join(' and ')}`).join(', ')})`;
}
