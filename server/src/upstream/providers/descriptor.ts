import type { TObject } from 'typebox';
import type { Guard } from '../../base/guard/guard.ts';
import type { BillFormat } from '../bills/bill.ts';
import type { ModelId } from '../catalog/models.ts';
import type { RateUnit } from '../prices/rates.ts';
import type { ConnectionKind } from './connection.ts';
import type { Capabilities, Provider } from './provider.ts';

/** Each provider folder has a descriptor, and only `providers.ts` lists them. */
export interface ProviderDescriptor<Settings, Credentials> {
  /** The configuration file never contains credentials. */
  settings: TObject;
  /** Makes no connection. @throws SettingError that names what is missing */
  create(settings: Settings, credentials: Credentials, guard: Guard): Provider;
  /** Needs no credentials, because a process that only serves the API has none. */
  capabilitiesOf(settings: Settings): Capabilities;
  usual: {
    slots: number;
    timeoutSeconds: number;
    /** Describes `slots` if their number depends on the machine. */
    slotsAbout?: string;
  };
  /** Absent if every customer has another address. */
  isOwn?(address: string): boolean;
  environment: ProviderEnvironment<Credentials>;
  /** Absent if answers report no usage. */
  reports?: readonly RateUnit[];
  bills?: readonly BillFormat[];
  /** Absent if routes need more than a key and an address. */
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
  /** The first provider in the list wins, for models without routes. */
  isChosen?(env: Environment): boolean;
  /** Advice for a provider without `routes`. */
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

/** Hosted models work on many images at once. */
export const hosted = { slots: 8, timeoutSeconds: 300 };
/** A graphics card works on one image at a time, slowly. */
export const atHome = { slots: 1, timeoutSeconds: 300 };

/** True for an address with TLS and one of these hosts. */
export function isAt(hosts: RegExp): (address: string) => boolean {
  return (address) => {
    const url = URL.parse(address);
    return url?.protocol === 'https:' && hosts.test(url.hostname);
  };
}

/**
 * Ignores errors: many machines have credentials of Google or Amazon for other programs, which Darkroom need not
 * understand.
 */
export function quietly<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
