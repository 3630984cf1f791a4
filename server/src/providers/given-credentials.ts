import { SettingError } from '../errors.ts';
import { parseBaseUrl } from './base-url.ts';
import { isOpenAi } from './openai/own-address.ts';

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

/** Those of these credentials that may be sent to the address; undefined for none. */
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

/** Hosts of the providers themselves, in all their regions. What others rent there, as at Azure, is not theirs. */
const ownHosts: Readonly<Record<string, RegExp>> = {
  gemini: /^(generativelanguage|([a-z0-9-]+-)?aiplatform)\.googleapis\.com$/,
  fal: /^queue\.fal\.run$/,
  replicate: /^api\.replicate\.com$/,
  bfl: /\.bfl\.ai$/,
  bedrock: /^bedrock(-runtime)?(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/,
};

/** Whether this is the provider itself, whoever wrote the address. */
export function isOwnAddress(provider: string, address: string): boolean {
  if (provider === 'openai') return isOpenAi(address);
  const url = URL.parse(address);
  return url?.protocol === 'https:' && ownHosts[provider]?.test(url.hostname) === true;
}

/** Without a login, which is no part of where it leads. */
function hrefOf(address: string): string {
  return URL.canParse(address) ? parseBaseUrl(address).href : address;
}
