interface BaseUrl {
  /** Without a slash at the end and without credentials. */
  href: string;
  /** HTTP Basic, when the URL carried `user:password@`. */
  authorization: string | undefined;
}

/** Throws `TypeError` for what is not an http(s) URL; the message never repeats a password. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TypeError('the base URL of a provider must start with http:// or https://');
  }
  const user = decodeURIComponent(url.username);
  const authorization = user ? basic(user, decodeURIComponent(url.password)) : undefined;
  return { href: `${url.origin}${url.pathname}`.replace(/\/+$/, ''), authorization };
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
