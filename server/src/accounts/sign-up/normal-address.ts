/** Google's domains, where dots in the name of a mailbox do not count. */
const withoutDots = new Set(['gmail.com', 'googlemail.com']);

/** Reduces all spellings of a mailbox to one: `A.da+x@googlemail.com` becomes `ada@gmail.com`. */
export function normalAddress(email: string): string {
  const [name = '', domain = ''] = email.toLowerCase().split('@');
  const [untagged = ''] = name.split('+');
  const [box, place] = withoutDots.has(domain)
    ? [untagged.replaceAll('.', ''), 'gmail.com']
    : [untagged, domain];
  // Keeps the whole name of `+x@example.com`, which has nothing before the tag.
  return `${box || name}@${place}`;
}
