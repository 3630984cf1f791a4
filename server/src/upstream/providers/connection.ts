import type { Guard } from '../../base/guard/guard.ts';
import { SettingError } from '../../errors.ts';
import type { Capabilities } from './provider.ts';

/** What a person may connect: each provider folder has its own in `connection.ts`. */
export interface ConnectionKind<Credentials> {
  /** As people call it. */
  name: string;
  /** In a few words, for whoever chooses one. */
  about: string;
  /** Whether it is somewhere else for everybody, so that an address has to be given. */
  needsAddress: boolean;
  /** `elsewhere`: only at an address of one's own is a key left out. */
  keyless: 'never' | 'elsewhere' | 'always';
  advice: Advice;
  /** @throws SettingError for what cannot be a key; the message never contains it */
  readKey(key: string): Credentials;
  /**
   * Asks what costs nothing and needs the key. @throws ProviderError for an upstream that is not as it should be,
   * SettingError for credentials that cannot work
   */
  find(at: Place<Credentials>, signal: AbortSignal): Promise<Found>;
}

/** Sentences that say what to do. */
interface Advice {
  key: string;
  quota: string;
  address: string;
  /** Without it, a list without models is no problem. */
  models?: string;
}

export interface Place<Credentials> {
  baseUrl: string | undefined;
  credentials: Credentials;
  /** Keeps away from what no provider is. */
  guard: Guard;
}

export interface Found {
  models: readonly UpstreamModel[];
  /** The address that answered, where the one given lacked its path. */
  baseUrl?: string;
}

export interface UpstreamModel {
  /** What the upstream calls it. */
  id: string;
  name?: string | undefined;
  /** Those of a route to it, without the address; absent for a checkpoint, which takes a workflow. */
  settings?: object;
  /** What such a route serves, as far as its adapter knows. */
  capabilities?: Pick<Capabilities, 'ratios' | 'resolutions' | 'maxInputs'>;
  /** That it ends soon, and what follows it. */
  notice?: string;
}

/** Far more than anybody chooses from. */
const maxModels = 500;

/** The model with what its adapter knows about it. */
export function describeModels<Settings extends object>(
  all: readonly (Pick<UpstreamModel, 'id' | 'name'> & { settings: Settings })[],
  capabilitiesOf: (settings: Settings) => Capabilities,
): UpstreamModel[] {
  return all.slice(0, maxModels).map((model) => {
    const { ratios, resolutions, maxInputs } = capabilitiesOf(model.settings);
    return { ...model, capabilities: { ratios, resolutions, maxInputs } };
  });
}

/** Keys travel in headers, which take nothing else. */
export function plainKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SettingError('the key has blanks or letters that no key has: copy it again, as a whole');
}
