import { createHash } from 'node:crypto';
import type { Sealer } from '../../base/std/sealer.ts';
import type { ModelId } from '../../upstream/catalog/models.ts';

/** A person's consent, which lasts until the program fetches its key. */
export interface Grant {
  /** The id of the key to create. It makes the code work only once, because no two keys have the same id. */
  keyId: string;
  accountId: string;
  /** The program's name, which becomes the name of its key. */
  name: string;
  models: ModelId[] | null;
  person: { personId: string; name: string };
  /** The digest of the session in which the person agreed; see `digestOf`. */
  session: string;
  programId: string;
  redirectUri: string;
  /** The digest of the verifier (RFC 7636, S256). */
  codeChallenge: string;
  expiresAt: number;
}

/** The lifetime is short, because programs fetch their key immediately. */
export const codeMs = 60_000;
const owner = 'code';

export function makeCode(sealer: Sealer, grant: Grant): string {
  const { programId, ...rest } = grant;
  return sealer.seal(JSON.stringify({ ...rest, program: digestOf(programId) }), owner);
}

/** Reads a code; undefined if this program may not exchange it now. */
export function readCode(
  sealer: Sealer,
  asked: { code: string; programId: string; redirectUri: string; verifier: string },
  nowMs: number,
): Omit<Grant, 'programId'> | undefined {
  const text = sealer.open(asked.code, owner);
  if (text === undefined) return undefined;
  const { program, ...grant } = JSON.parse(text) as Omit<Grant, 'programId'> & { program: string }; // only makeCode seals for this owner
  const isRight =
    grant.expiresAt > nowMs &&
    program === digestOf(asked.programId) &&
    grant.redirectUri === asked.redirectUri &&
    grant.codeChallenge === digestOf(asked.verifier);
  return isRight ? grant : undefined;
}

/** Digests a value, so that a code can be checked against the value but does not reveal it. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
