import type { Seals } from './seals.ts';

/** What a browser that has given a right password brings back with the code. */
export interface Challenge {
  personId: string;
  expiresAt: number;
}

/**
 * Person and end in one seal, with the password that earned it: neither can be put together with those of another
 * challenge, and a new password ends it.
 */
export function makeChallenge(
  seals: Seals,
  { personId, expiresAt }: Challenge,
  passwordHash: string,
): string {
  return `${personId}.${expiresAt}.${seals.make('code', [personId, expiresAt, passwordHash].join(' '))}`;
}

/** Whom a challenge says it is for, which the seal has yet to show. */
export function readChallenge(text = ''): (Challenge & { seal: string }) | undefined {
  const [, personId, expiresAt, seal] = pattern.exec(text) ?? [];
  if (personId === undefined || expiresAt === undefined || seal === undefined) return undefined;
  return { personId, expiresAt: Number(expiresAt), seal };
}

const pattern = /^([0-9a-f-]{36})\.(\d{1,15})\.([\w.-]{1,200})$/;

export function isGenuine(
  seals: Seals,
  { personId, expiresAt, seal }: Challenge & { seal: string },
  passwordHash: string,
): boolean {
  return seals.open('code', seal, [personId, expiresAt, passwordHash].join(' ')) !== null;
}
