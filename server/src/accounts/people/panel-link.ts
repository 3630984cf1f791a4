import { hash } from 'node:crypto';
import type { Actor } from '../../base/audit/audit-store.ts';
import type { Tx } from '../../base/db/schema.ts';
import { newToken } from '../../base/std/ids.ts';
import { type InvitedRole, insertLink } from './link-store.ts';

const hour = 60 * 60 * 1000;
/** A day is long enough to hand the link over, and short enough to make a forgotten link useless. */
const signInLifetimeMs = 24 * hour;
const invitationLifetimeMs = 7 * 24 * hour;

export type LinkPurpose =
  | { kind: 'sign_in'; personId: string }
  | { kind: 'invitation'; accountId: string | null; role: InvitedRole; note?: string };

export interface MadeLink {
  token: string;
  expiresAt: number;
}

/** Creates a link that is valid while its creator is an operator, or an owner of the account to which it leads. */
export async function makeLink(
  tx: Tx,
  purpose: LinkPurpose,
  { personId: madeBy }: Pick<Actor, 'personId'>,
): Promise<MadeLink> {
  const token = newToken();
  const expiresAt = await insertLink(tx, {
    tokenHash: hashToken(token),
    kind: purpose.kind,
    personId: purpose.kind === 'sign_in' ? purpose.personId : null,
    accountId: purpose.kind === 'invitation' ? purpose.accountId : null,
    role: purpose.kind === 'invitation' ? purpose.role : null,
    note: purpose.kind === 'invitation' ? (purpose.note ?? null) : null,
    madeBy,
    lifetimeMs: purpose.kind === 'sign_in' ? signInLifetimeMs : invitationLifetimeMs,
  });
  return { token, expiresAt };
}

/** Tokens are random, so a plain hash is as good as a slow one. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** The token follows `#`. Browsers do not send it, so no log and no Referer has it. */
export function linkUrl(publicUrl: string, { token }: Pick<MadeLink, 'token'>): string {
  return `${publicUrl}/open#${token}`;
}
