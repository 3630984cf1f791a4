/** Google delivers whatever dots there are, by either domain. */
const withoutDots = new Set(['gmail.com', 'googlemail.com']);

/** One spelling for all by which the same mailbox is reached: `A.da+x@googlemail.com` is `ada@gmail.com`. */
export function normalAddress(email: string): string {
  const [name = '', domain = ''] = email.toLowerCase().split('@');
  const [untagged = ''] = name.split('+');
  const [box, place] = withoutDots.has(domain)
    ? [untagged.replaceAll('.', ''), 'gmail.com']
    : [untagged, domain];
  // Nothing else is left of `+x@example.com`.
  return `${box || name}@${place}`;
}
