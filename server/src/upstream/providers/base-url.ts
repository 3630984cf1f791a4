import { SettingError } from '../../errors.ts';

interface BaseUrl {
  href: string;
  /** The `Authorization` header, if there is a login or the URL contained `user:password@`. */
  authorization: string | undefined;
  /** Texts to redact if a server repeats them. */
  secrets: readonly string[];
}

/** A login for HTTP Basic, which replaces a login in the URL, or a token for a proxy. */
export interface ServerLogin {
  /** `user:password`, or without a colon a bearer token. */
  login?: string | undefined;
}

/** Parses a URL. Throws `SettingError` unless it is http(s). The message never contains a password. */
export function parseBaseUrl(text: string, { login }: ServerLogin = {}): BaseUrl {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SettingError('the base URL of a provider must start with http:// or https://');
  }
  const both = login ?? (url.username ? `${decode(url.username)}:${decode(url.password)}` : undefined);
  const authorization = both && authorizationOf(both);
  return {
    href: `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, ''),
    authorization,
    secrets: authorization && both ? [authorization, both.slice(both.indexOf(':') + 1)] : [],
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SettingError('the user and password in the base URL of a provider must spell % as %25');
  }
}

function authorizationOf(login: string): string {
  return login.includes(':') ? `Basic ${Buffer.from(login).toString('base64')}` : `Bearer ${login}`;
}
