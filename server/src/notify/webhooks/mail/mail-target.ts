const scheme = 'mailto:';

export function mailTarget(email: string): string {
  return scheme + encodeURIComponent(email);
}

export function readMailTarget(url: string): string | undefined {
  return url.startsWith(scheme) ? decodeURIComponent(url.slice(scheme.length)) : undefined;
}

/** Shortens an address for holders of the account's keys: `mailto:a…@example.com`. */
export function hideMailTarget(url: string): string {
  const email = readMailTarget(url);
  return email === undefined ? url : `${scheme}${email.replace(/^(.).*(@.*)$/, '$1…$2')}`;
}
