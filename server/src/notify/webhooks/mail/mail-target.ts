const scheme = 'mailto:';

/** Where a letter goes, as the address of a delivery. */
export function mailTarget(email: string): string {
  return scheme + encodeURIComponent(email);
}

/** Whom a delivery goes to by mail; undefined where it is a webhook. */
export function readMailTarget(url: string): string | undefined {
  return url.startsWith(scheme) ? decodeURIComponent(url.slice(scheme.length)) : undefined;
}

/** As whoever has a key of the account may see it: `mailto:a…@example.com`. */
export function hideMailTarget(url: string): string {
  const email = readMailTarget(url);
  return email === undefined ? url : `${scheme}${email.replace(/^(.).*(@.*)$/, '$1…$2')}`;
}
