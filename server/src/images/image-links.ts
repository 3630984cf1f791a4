import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { Clock } from '../std/clock.ts';
import { isUuid } from '../std/ids.ts';
import type { StoredMediaType } from './media-types.ts';

export interface LinkSigner {
  /**
   * A link that holds for 24 hours at least: `{cdnUrl}/images/{name}.{ext}?expires=…&key=…&signature=…`. The name of a
   * result is the id of its job.
   */
  sign(name: string, ext: string): string;
  verify(link: ImageLink): 'ok' | 'expired' | 'tampered';
  /** For how many more seconds a link holds that was verified. */
  secondsLeft(link: ImageLink): number;
}

/** The pieces of a requested link, as they came. */
export interface ImageLink {
  name: string;
  ext: string;
  /** All after the `?`, undecoded. */
  query: string;
}

/** Where the result or an input of a job is stored. `gone`: the job was removed. `never`: there is no such image. */
export type FindImage = (jobId: string, input: number | null) => Promise<FoundImage | 'gone' | 'never'>;

interface FoundImage {
  key: string;
  mediaType: StoredMediaType;
  bytes: number;
  sha256: string;
}

export const minLifetimeMs = 24 * 60 * 60 * 1000;
/** The expiry moves in steps, so that polls within one give the same link, which caches know again. */
const stepMs = 60 * 60 * 1000;

/** When a link expires that is signed now, in milliseconds. */
export function expiryOf(nowMs: number): number {
  return Math.ceil(nowMs / stepMs) * stepMs + minLifetimeMs;
}

/** What is wrong with a link of ours that does not hold, for whoever follows it. */
export const badLinkDetails = {
  expired: 'This result link has expired. Read the job again for a fresh one.',
  tampered: 'This link is not one of ours, or was changed. Read the job again for a fresh one.',
} as const;

/** How an input of a job is called. */
export function inputName(jobId: string, index: number): string {
  return `${jobId}-input-${index}`;
}

/** Which image of which job a file of a link is: its result, or the input with this index. */
export function parseImageFile(
  file: string,
): { name: string; jobId: string; input: number | null; ext: string } | undefined {
  const [, name = '', jobId = '', input, ext = ''] = filePattern.exec(file) ?? [];
  return isUuid(jobId) ? { name, jobId, input: input === undefined ? null : Number(input), ext } : undefined;
}

const filePattern = /^(([0-9a-f-]{36})(?:-input-(0|[1-9][0-9]?))?)\.(png|jpg|webp)$/;

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
    sign(name, ext) {
      const expires = expiryOf(clock.nowMs()) / 1000;
      const signature = signatureOf(signing, name, ext, String(expires));
      return `${cdnUrl()}/images/${name}.${ext}?expires=${expires}&key=${signing.id}&signature=${signature}`;
    },
    verify({ name, ext, query }) {
      const [, expires = '', keyId = '', signature = ''] = queryPattern.exec(query) ?? [];
      const key = keys.get(keyId);
      if (key === undefined) return 'tampered';
      // As text, not as bytes: the last character has spare bits, so four spellings decode to the same bytes.
      const expected = Buffer.from(signatureOf(key, name, ext, expires));
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
function signatureOf({ key }: LinkKey, name: string, ext: string, expires: string): string {
  return createHmac('sha256', key).update(`${name}\n${ext}\n${expires}`).digest('base64url');
}
