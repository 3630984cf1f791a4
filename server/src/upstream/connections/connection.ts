import type { Given } from '../providers/given-credentials.ts';
import { readCredentials } from '../providers/probe-connection.ts';
import type { CredentialsOf, ProviderKind } from '../providers/providers.ts';

/** The pattern of the name that routes use. */
export const connectionPattern = '^[a-z0-9][a-z0-9.-]{0,39}$';

/** A provider with its address and credential. Never logged or shown whole. */
export interface Connection {
  name: string;
  provider: ProviderKind;
  /** Absent for the provider's own address. */
  baseUrl?: string;
  /** A key, a token, the JSON of a service account, or `user:password`. */
  credential?: string;
  /** The source of the settings: the configuration file, which locks them, or an operator. */
  source: 'file' | 'operator';
  /** For a connection of the configuration file: the variable or file that contains the credential. */
  credentialFrom?: string;
}

/**
 * The credential in its provider's form, restricted to its address.
 * @throws SettingError for an impossible credential
 */
export function givenWith({ provider, baseUrl, credential }: Connection): Given<CredentialsOf[ProviderKind]> {
  const credentials = provider === 'sketch' ? {} : readCredentials(provider, credential);
  return { credentials, addresses: [baseUrl] };
}
