import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { Clock } from '../base/std/clock.ts';
import { isUuid } from '../base/std/ids.ts';
import { extensions, type StoredMediaType } from './media-types.ts';
import type { RenditionWidth } from './renditions.ts';

export interface LinkSigner {
  /** Makes `{cdnUrl}/images/{name}.{ext}?expires=…&key=…&signature=…`. `expiresAt`: milliseconds, a full second. */
  sign(name: string, ext: string, expiresAt?: number): string;
  verify(link: ImageLink): 'ok' | 'expired' | 'tampered';
  secondsLeft(link: ImageLink): number;
}

export interface ImageLink {
  name: string;
  ext: string;
  /** The text after the `?`, undecoded. */
  query: string;
}

/** A job's result, a job's input with this index, or an upload. */
export type ImageName =
  | { kind: 'job'; jobId: string; input: number | null }
  | { kind: 'upload'; uploadId: string };

/** `gone` means that the image was removed; `never`, that it never existed. */
export type FindImage = (image: ImageName) => Promise<FoundImage | 'gone' | 'never'>;

export interface FoundImage {
  key: string;
  mediaType: StoredMediaType;
  width: number;
  height: number;
  bytes: number;
  sha256: string;
  /** The only account that may use the image as an input; undefined for images of jobs, whose links are open to all. */
  accountId?: string;
}

export const minLifetimeMs = 24 * 60 * 60 * 1000;
/** Links expire at full hours, so that polls within an hour get the same link, for which caches hold the image. */
const stepMs = 60 * 60 * 1000;

export function expiryOf(nowMs: number): number {
  return Math.ceil(nowMs / stepMs) * stepMs + minLifetimeMs;
}

export function whyNotValid(verdict: 'expired' | 'tampered', { kind }: ImageName): string {
  if (verdict === 'tampered')
    return 'This link does not belong to this server, or was changed. Read the job again for a fresh one.';
  return kind === 'upload'
    ? 'This upload has expired. Upload the image again.'
    : 'This result link has expired. Read the job again for a fresh one.';
}

export function resultLink(
  { sign }: Pick<LinkSigner, 'sign'>,
  jobId: string,
  { mediaType }: { mediaType: StoredMediaType },
): string {
  return sign(jobId, extensions[mediaType]);
}

export function inputName(jobId: string, index: number): string {
  return `${jobId}-input-${index}`;
}

export function uploadName(uploadId: string): string {
  return `upload-${uploadId}`;
}

export function parseImageFile(file: string): { name: string; ext: string; image: ImageName } | undefined {
  const [, name = '', upload, id = '', input, ext = ''] = filePattern.exec(file) ?? [];
  if (!isUuid(id) || (upload && input)) return undefined;
  const image: ImageName = upload
    ? { kind: 'upload', uploadId: id }
    : { kind: 'job', jobId: id, input: input === undefined ? null : Number(input) };
  return { name, ext, image };
}

const filePattern = /^((upload-)?([0-9a-f-]{36})(?:-input-(0|[1-9][0-9]?))?)\.(png|jpg|webp)$/;

/** The label for deriving keys, which makes a signature useless for other uses of the secret. */
const keyLabel = 'darkroom image links';

/** Matches only our spelling and order of parameters, because caches may read others differently. `w` is not signed. */
const queryPattern =
  /^expires=([1-9][0-9]{9,11})&key=([0-9a-f]{8})&signature=([A-Za-z0-9_-]{43})(?:&w=([^&]{0,9}))?$/;

export function atWidth(link: string, width: RenditionWidth): string {
  return `${link}&w=${width}`;
}

export function writtenWidth({ query }: ImageLink): string | undefined {
  return queryPattern.exec(query)?.[4];
}

/** The first secret signs, and all verify. To rotate the secret, put a new one first and keep the old one for a day. */
export function createLinkSigner({
  cdnUrl,
  secrets,
  clock,
}: {
  /** A function, because a server on port 0 knows its address only once it listens. */
  cdnUrl: () => string;
  secrets: readonly string[];
  clock: Clock;
}): LinkSigner {
  const keys = new Map(secrets.map(deriveKey).map((key) => [key.id, key]));
  const [signing] = keys.values();
  if (signing === undefined || secrets.includes(''))
    throw new TypeError('signing links needs secrets that are not empty');
  return {
    sign(name, ext, expiresAt = expiryOf(clock.nowMs())) {
      const expires = expiresAt / 1000;
      const signature = signatureOf(signing, name, ext, String(expires));
      return `${cdnUrl()}/images/${name}.${ext}?expires=${expires}&key=${signing.id}&signature=${signature}`;
    },
    verify({ name, ext, query }) {
      const [, expires = '', keyId = '', signature = ''] = queryPattern.exec(query) ?? [];
      const key = keys.get(keyId);
      if (key === undefined) return 'tampered';
      // Compares text, because the last character has spare bits, so that four spellings decode to the same bytes.
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
  // With a KeyObject, an HMAC takes 1.8 µs instead of 13 µs.
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), key: createSecretKey(bytes) };
}

/** Joins the parts with line breaks, which no part contains, so that parts cannot be confused. */
function signatureOf({ key }: LinkKey, name: string, ext: string, expires: string): string {
  return createHmac('sha256', key).update(`${name}\n${ext}\n${expires}`).digest('base64url');
}
