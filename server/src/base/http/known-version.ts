/** Whether `If-None-Match` has this version: `*` or a list of entity tags, including weak ones (RFC 9110, 13.1.2). */
export function knowsVersion(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim());
  return tags[0] === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etag);
}
