/** Describes a mistake in an address, such as a secret in it. The text follows the field's name in a sentence. */
export function addressMistake(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return 'must be an address that starts with http:// or https://.';
  if (url.username || url.password)
    return 'must not carry a user name or password: give "user:password" as the key of a connection.';
  // A query would never be sent, but everyone who reads the address would see it.
  if (url.search || url.hash)
    return 'must end before "?" and "#": give a key that stands there as the key of a connection.';
  return undefined;
}

export function shownAddress(text: string): string {
  if (addressMistake(text) === undefined) return text;
  const url = URL.parse(text);
  return url && url.origin !== 'null' ? `${url.origin}${url.pathname}` : '(not shown)';
}
