import type { TObject } from 'typebox';
import type { Guard } from '../../base/guard/guard.ts';
import type { BillFormat } from '../bills/bill.ts';
import type { ModelId } from '../catalog/models.ts';
import type { RateUnit } from '../prices/rates.ts';
import type { ConnectionKind } from './connection.ts';
import type { Capabilities, Provider } from './provider.ts';

export interface ProviderDescriptor<Settings, Credentials> {
  /** The schema of the provider's settings in the configuration file, which never contains credentials. */
  settings: TObject;
  /** Creates a provider without connecting. @throws SettingError that names what is missing */
  create(settings: Settings, credentials: Credentials, guard: Guard): Provider;
  /** Lists what the provider can make. Needs no credentials, which a process that only serves the API lacks. */
  capabilitiesOf(settings: Settings): Capabilities;
  usual: {
    slots: number;
    timeoutSeconds: number;
    /** Describes `slots` if their number depends on the machine. */
    slotsAbout?: string;
  };
  /** Whether an address is the provider's own; absent if every customer has another address. */
  isOwn?(address: string): boolean;
  environment: ProviderEnvironment<Credentials>;
  /** The units in which answers report usage; absent if they report none. */
  reports?: readonly RateUnit[];
  bills?: readonly BillFormat[];
  /** Routes for the specified models; absent if they need more than a key and an address. */
  routes?(address: string | undefined): UsualRoutes<Settings>;
}

export interface ConnectableDescriptor<Settings, Credentials>
  extends ProviderDescriptor<Settings, Credentials> {
  connection: ConnectionKind<Credentials>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface ProviderEnvironment<Credentials> {
  /** The environment variables. The address variable applies to all routes without an address. */
  variables: readonly ProviderVariable[];
  /** @throws SettingError for unreadable values */
  credentials(env: Environment): Credentials;
  /** Whether the environment chooses this provider for models without routes. The first such provider is used. */
  isChosen?(env: Environment): boolean;
  whenChosenAlone?: string;
}

interface ProviderVariable {
  name: string;
  whenUnset: string;
  about: string;
  /** A `secret` is never shown, and an `address` only without its credentials. */
  holds: 'secret' | 'address' | 'path';
}

export type UsualRoutes<Settings> = Readonly<Record<ModelId, readonly UsualRoute<Settings>[]>>;

type UsualRoute<Settings> = Omit<Settings, 'baseUrl'> & {
  name?: string;
  slots?: number;
  fit?: 'crop';
  upscale?: boolean;
};

export function forAll<Settings>(route: UsualRoute<Settings>): UsualRoutes<Settings> {
  return { nb: [route], nb2: [route], pro: [route] };
}

/** The defaults for hosted models, which work on many images at the same time. */
export const hosted = { slots: 8, timeoutSeconds: 300 };
/** The defaults for a graphics card, which works on one image at a time, slowly. */
export const atHome = { slots: 1, timeoutSeconds: 300 };

export function isAt(hosts: RegExp): (address: string) => boolean {
  return (address) => {
    const url = URL.parse(address);
    return url?.protocol === 'https:' && hosts.test(url.hostname);
  };
}

/** Ignores errors, because many machines have Google's or Amazon's credentials for other programs. */
export function quietly<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
