import type { Given } from '../providers/given-credentials.ts';
import { readCredentials } from '../providers/probe-connection.ts';
import type { CredentialsOf, ProviderKind } from '../providers/providers.ts';

export const connectionPattern = '^[a-z0-9][a-z0-9.-]{0,39}$';

/** A provider's address and credential, never logged or shown as a whole. */
export interface Connection {
  name: string;
  provider: ProviderKind;
  /** Absent for the provider's own address. */
  baseUrl?: string;
  /** A key, a token, the JSON of a service account, or `user:password`. */
  credential?: string;
  /** The source of the settings. Connections of the configuration file cannot be changed elsewhere. */
  source: 'file' | 'operator';
  /** The variable or file that contains the credential, for a connection of the configuration file. */
  credentialFrom?: string;
}

/** The credential, restricted to the connection's address. @throws SettingError for an impossible credential */
export function givenWith({ provider, baseUrl, credential }: Connection): Given<CredentialsOf[ProviderKind]> {
  const credentials = provider === 'sketch' ? {} : readCredentials(provider, credential);
  return { credentials, addresses: [baseUrl] };
}
