import { SettingError } from '../../errors.ts';
import { parseBaseUrl } from './base-url.ts';
import { isProvider, providers } from './providers.ts';

export interface Given<Credentials> {
  credentials: Credentials;
  /** The addresses for which the credentials were given. Undefined stands for the provider's own address. */
  addresses: readonly (string | undefined)[];
}

/**
 * Whether credentials may be sent to an address. It must be an address for which they were given: otherwise, a person
 * who may set addresses but not read keys could have a key sent to any server.
 */
export function goesTo(provider: string, address: string | undefined, givenFor: string | undefined): boolean {
  if (address === undefined) return givenFor === undefined || isOwnAddress(provider, givenFor);
  if (givenFor === undefined) return isOwnAddress(provider, address);
  return hrefOf(address) === hrefOf(givenFor);
}

export function credentialsFor<Credentials>(
  provider: string,
  address: string | undefined,
  given: readonly Given<Credentials>[],
): Credentials | undefined {
  return given.find(({ addresses }) => addresses.some((one) => goesTo(provider, address, one)))?.credentials;
}

export class CredentialsWithheld extends SettingError {}

export function withheldAt(address: string): string {
  const { href } = parseBaseUrl(address);
  return (
    `credentials go only to their own address, which ${href} is not: add a connection with ` +
    'this address and its key, or name the address in the environment or the configuration file'
  );
}

/** Whether the address is the provider's own. A customer's own resource, such as at Azure, does not count. */
export function isOwnAddress(provider: string, address: string): boolean {
  return isProvider(provider) && providers[provider].isOwn?.(address) === true;
}

/** Omits the user name and the password, because they do not decide which server is called. */
function hrefOf(address: string): string {
  return URL.canParse(address) ? parseBaseUrl(address).href : address;
}
