import type { Seals } from './seals.ts';

/** Proof that the browser has sent the right password. The browser returns it with the code. */
export interface Challenge {
  personId: string;
  expiresAt: number;
}

/** Seals the person, the expiry and the password hash together, so that a new password invalidates the challenge. */
export function makeChallenge(
  seals: Seals,
  { personId, expiresAt }: Challenge,
  passwordHash: string,
): string {
  return `${personId}.${expiresAt}.${seals.make('code', [personId, expiresAt, passwordHash].join(' '))}`;
}

/** Reads a challenge. The caller must check the seal before it trusts the person. */
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
