import type { TObject } from 'typebox';
import type { Guard } from '../../base/guard/guard.ts';
import type { BillFormat } from '../bills/bill.ts';
import type { ModelId } from '../catalog/models.ts';
import type { RateUnit } from '../prices/rates.ts';
import type { ConnectionKind } from './connection.ts';
import type { Capabilities, Provider } from './provider.ts';

/** All that Darkroom knows about a provider. Each folder has one, and only `providers.ts` lists them. */
export interface ProviderDescriptor<Settings, Credentials> {
  /** Schema of its settings in the configuration file, which never holds credentials. */
  settings: TObject;
  /**
   * Creates a provider without connecting.
   * @throws SettingError that names what is missing
   */
  create(settings: Settings, credentials: Credentials, guard: Guard): Provider;
  /**
   * Lists what the provider can make with these settings, without credentials: a process that only serves the API has
   * none.
   */
  capabilitiesOf(settings: Settings): Capabilities;
  /** The defaults of a route. */
  usual: {
    slots: number;
    timeoutSeconds: number;
    /** What `slots` is, where it depends on the machine. */
    slotsAbout?: string;
  };
  /** Reports whether an address is the provider's own; absent if every customer has another. */
  isOwn?(address: string): boolean;
  environment: ProviderEnvironment<Credentials>;
  /** The units in which its answers report usage; absent if they report none. */
  reports?: readonly RateUnit[];
  /** The formats of the vendor's bills. */
  bills?: readonly BillFormat[];
  /** Routes of the specified models, given only a key and an address; missing if they need more. */
  routes?(address: string | undefined): UsualRoutes<Settings>;
}

/** A provider that operators can connect. */
export interface ConnectableDescriptor<Settings, Credentials>
  extends ProviderDescriptor<Settings, Credentials> {
  connection: ConnectionKind<Credentials>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface ProviderEnvironment<Credentials> {
  /** The environment variables, as operators see them. The one with an address applies to all routes without one. */
  variables: readonly ProviderVariable[];
  /** @throws SettingError for unreadable values */
  credentials(env: Environment): Credentials;
  /** Reports whether the environment chooses this provider for models without routes. The first of the list wins. */
  isChosen?(env: Environment): boolean;
  /** Advice for a provider that is chosen and has no `routes`. */
  whenChosenAlone?: string;
}

interface ProviderVariable {
  name: string;
  whenUnset: string;
  about: string;
  /** A `secret` is never shown, an `address` without its credentials. */
  holds: 'secret' | 'address' | 'path';
}

export type UsualRoutes<Settings> = Readonly<Record<ModelId, readonly UsualRoute<Settings>[]>>;

type UsualRoute<Settings> = Omit<Settings, 'baseUrl'> & {
  name?: string;
  slots?: number;
  fit?: 'crop';
  upscale?: boolean;
};

/** The same for all of the specified models. */
export function forAll<Settings>(route: UsualRoute<Settings>): UsualRoutes<Settings> {
  return { nb: [route], nb2: [route], pro: [route] };
}

/** Hosted models work on many images at once. */
export const hosted = { slots: 8, timeoutSeconds: 300 };
/** A graphics card works on one at a time, slowly. */
export const atHome = { slots: 1, timeoutSeconds: 300 };

/** Tests whether an address uses TLS and one of these hosts. */
export function isAt(hosts: RegExp): (address: string) => boolean {
  return (address) => {
    const url = URL.parse(address);
    return url?.protocol === 'https:' && hosts.test(url.hostname);
  };
}

/**
 * Reads credentials and ignores errors: many machines have credentials of Google or Amazon for another program,
 * which Darkroom need not understand.
 */
export function quietly<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
