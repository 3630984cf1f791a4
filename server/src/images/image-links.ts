import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { Clock } from '../std/clock.ts';

export interface LinkSigner {
  /** A link to the image of a job that holds for 24 hours: `{cdnUrl}/images/{jobId}.{ext}?expires=…&key=…&signature=…` */
  sign(jobId: string, ext: string): string;
  verify(link: ImageLink): 'ok' | 'expired' | 'tampered';
  /** For how many more seconds a link holds that was verified. */
  secondsLeft(link: ImageLink): number;
}

/** The pieces of a requested link, as they came. */
export interface ImageLink {
  jobId: string;
  ext: string;
  /** All after the `?`, undecoded. */
  query: string;
}

export const linkLifetimeSeconds = 24 * 60 * 60;

/** Keys are derived under this name, so that a link's signature is worth nothing anywhere else the secret is used. */
const keyLabel = 'darkroom image links';

/**
 * One spelling is accepted, the one we write: what may be written in two ways, or twice, may be read in two ways by a
 * cache on the path. Sorted by name, so a CDN that sorts parameters does no harm.
 */
const queryPattern = /^expires=([1-9][0-9]{9,11})&key=([0-9a-f]{8})&signature=([A-Za-z0-9_-]{43})$/;

/** The first secret signs, all of them verify: a secret is rotated by putting the new one in front for a day. */
export function createLinkSigner({
  cdnUrl,
  secrets,
  clock,
}: {
  /** Asked for each link, because a server on port 0 learns its address when it listens. */
  cdnUrl: () => string;
  secrets: readonly string[];
  clock: Clock;
}): LinkSigner {
  const keys = new Map(secrets.map(deriveKey).map((key) => [key.id, key]));
  const [signing] = keys.values();
  if (signing === undefined || secrets.includes(''))
    throw new TypeError('signing links needs secrets that are not empty');
  return {
    sign(jobId, ext) {
      const expires = Math.ceil(clock.nowMs() / 1000) + linkLifetimeSeconds;
      const signature = signatureOf(signing, jobId, ext, String(expires));
      return `${cdnUrl()}/images/${jobId}.${ext}?expires=${expires}&key=${signing.id}&signature=${signature}`;
    },
    verify({ jobId, ext, query }) {
      const [, expires = '', keyId = '', signature = ''] = queryPattern.exec(query) ?? [];
      const key = keys.get(keyId);
      if (key === undefined) return 'tampered';
      // As text, not as bytes: the last character has spare bits, so four spellings decode to the same bytes.
      const expected = Buffer.from(signatureOf(key, jobId, ext, expires));
      if (!timingSafeEqual(expected, Buffer.from(signature))) return 'tampered';
      return Number(expires) * 1000 > clock.nowMs() ? 'ok' : 'expired';
    },
    secondsLeft({ query }) {
      const [, expires = ''] = queryPattern.exec(query) ?? [];
      return Math.floor(Number(expires) - clock.nowMs() / 1000);
    },
  };
}

interface LinkKey {
  id: string;
  key: KeyObject;
}

function deriveKey(secret: string): LinkKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', keyLabel, 32));
  // A KeyObject, made once: HMAC with it takes 1.8 µs, with the bare bytes 13 µs.
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), key: createSecretKey(bytes) };
}

/** Line breaks keep the three apart: neither of the others can hold one in a link that we signed. */
function signatureOf({ key }: LinkKey, jobId: string, ext: string, expires: string): string {
  return createHmac('sha256', key).update(`${jobId}\n${ext}\n${expires}`).digest('base64url');
}
