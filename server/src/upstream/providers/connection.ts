import type { Guard } from '../../base/guard/guard.ts';
import { SettingError } from '../../errors.ts';
import type { Capabilities } from './provider.ts';

export interface ConnectionKind<Credentials> {
  name: string;
  about: string;
  /** True if every installation has its own address, which is then required. */
  needsAddress: boolean;
  /** Whether a key can be omitted; `elsewhere` if only at another address than the provider's. */
  keyless: 'never' | 'elsewhere' | 'always';
  advice: Advice;
  /** @throws SettingError for an impossible key, without the key in its message */
  readKey(key: string): Credentials;
  /** Makes a free request that needs the key. @throws ProviderError, SettingError for credentials that cannot work */
  find(at: UpstreamAccess<Credentials>, signal: AbortSignal): Promise<Found>;
}

interface Advice {
  key: string;
  quota: string;
  address: string;
  /** The advice if the list has no models; absent if an empty list is no problem. */
  models?: string;
}

export interface UpstreamAccess<Credentials> {
  baseUrl: string | undefined;
  credentials: Credentials;
  guard: Guard;
}

export interface Found {
  models: readonly UpstreamModel[];
  /** The address that answered, if the given one lacked the path. */
  baseUrl?: string;
}

export interface UpstreamModel {
  id: string;
  name?: string | undefined;
  /** The settings of a route to the model, without the address; absent for a checkpoint, which needs a workflow. */
  settings?: object;
  /** The capabilities of that route, as far as the adapter knows them. */
  capabilities?: Pick<Capabilities, 'ratios' | 'resolutions' | 'maxInputs'>;
  /** A notice that the model will be retired soon, with its successor. */
  notice?: string;
}

/** The maximum number of models to describe, far more than anyone would choose from. */
const maxModels = 500;

export function describeModels<Settings extends object>(
  all: readonly (Pick<UpstreamModel, 'id' | 'name'> & { settings: Settings })[],
  capabilitiesOf: (settings: Settings) => Capabilities,
): UpstreamModel[] {
  return all.slice(0, maxModels).map((model) => {
    const { ratios, resolutions, maxInputs } = capabilitiesOf(model.settings);
    return { ...model, capabilities: { ratios, resolutions, maxInputs } };
  });
}

/** Refuses a key with characters that HTTP headers cannot carry. */
export function plainKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SettingError('the key has blanks or letters that no key has: copy it again, as a whole');
}
