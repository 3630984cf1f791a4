import { AsyncLocalStorage } from 'node:async_hooks';

/** A person, perhaps unknown here, as the identity provider describes them. */
export interface Vouched {
  subject: string;
  email: string;
  isVerified: boolean;
  name: string;
}

const underWay = new AsyncLocalStorage<{ vouched: Vouched | null }>();

/** Notes the person for whom the provider vouches. The library calls this once the signature is verified. */
export function noteVouched(profile: Record<string, unknown>): void {
  const asked = underWay.getStore();
  const { sub, email, emailVerified, name } = profile;
  if (!asked || typeof sub !== 'string' || typeof email !== 'string') return;
  const isVerified = emailVerified === true;
  asked.vouched = { subject: sub, email, isVerified, name: typeof name === 'string' ? name : '' };
}

/** Also returns the person for whom the provider vouched, because the library stores only people that it knows. */
export async function withVouched<T>(
  work: () => Promise<T>,
): Promise<{ result: T; vouched: Vouched | null }> {
  const asked: { vouched: Vouched | null } = { vouched: null };
  return { result: await underWay.run(asked, work), vouched: asked.vouched };
}
