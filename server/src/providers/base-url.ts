import { SettingError } from '../errors.ts';

interface BaseUrl {
  /** Without a trailing slash and without credentials. */
  href: string;
  /** HTTP Basic, when the URL carried `user:password@`. */
  authorization: string | undefined;
  /** Redacted when a server repeats them. */
  secrets: readonly string[];
}

/** Throws `SettingError` unless it is an http(s) URL; the message never contains a password. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SettingError('the base URL of a provider must start with http:// or https://');
  }
  const user = decode(url.username);
  const password = decode(url.password);
  const authorization = user ? basic(user, password) : undefined;
  return {
    href: `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, ''),
    authorization,
    secrets: authorization ? [authorization, password] : [],
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SettingError('the user and password in the base URL of a provider must spell % as %25');
  }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
