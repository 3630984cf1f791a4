import { SettingError } from '../../errors.ts';
import { parseBaseUrl } from './base-url.ts';
import { isProvider, providers } from './providers.ts';

/** Credentials with the addresses for which they were given. */
export interface Given<Credentials> {
  credentials: Credentials;
  /** Undefined stands for the provider's own. */
  addresses: readonly (string | undefined)[];
}

/**
 * The one rule for credentials: they go to an address for which they were given, and nowhere else. Whoever may name
 * an address, in a model or a connection, need not be somebody who may read the keys.
 */
export function goesTo(provider: string, address: string | undefined, givenFor: string | undefined): boolean {
  if (address === undefined) return givenFor === undefined || isOwnAddress(provider, givenFor);
  if (givenFor === undefined) return isOwnAddress(provider, address);
  return hrefOf(address) === hrefOf(givenFor);
}

/** The credentials that may be sent to the address; undefined for none. */
export function credentialsFor<Credentials>(
  provider: string,
  address: string | undefined,
  given: readonly Given<Credentials>[],
): Credentials | undefined {
  return given.find(({ addresses }) => addresses.some((one) => goesTo(provider, address, one)))?.credentials;
}

/** A provider cannot work, because the credentials that it needs were given for another address. */
export class CredentialsWithheld extends SettingError {}

/** Says what an operator can do about credentials that stay here. Never contains one. */
export function withheldAt(address: string): string {
  const { href } = parseBaseUrl(address);
  return (
    `credentials go only to the address for which they were given, which ${href} is not: add a connection with ` +
    'this address and its key, or name the address in the environment or the configuration file'
  );
}

/** Reports whether the address is the provider's own. Resources that customers rent there, as at Azure, are not. */
export function isOwnAddress(provider: string, address: string): boolean {
  return isProvider(provider) && providers[provider].isOwn?.(address) === true;
}

/** The URL without a login, which does not change where it leads. */
function hrefOf(address: string): string {
  return URL.canParse(address) ? parseBaseUrl(address).href : address;
}
