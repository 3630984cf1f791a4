import { type Imprint, isImprint } from '../imprint.ts';
import { type DiskTroubleCode, isDiskTroubleCode } from '../inputs/disk-trouble.ts';
import type { Output } from '../output.ts';
import type { MarkedPixels, RenditionWidth } from '../renditions.ts';
import { type Colour, isColour, maxColours } from './name-colours.ts';

export type ImageRequest = { source: string } & (
  | {
      kind: 'render';
      widths: readonly number[];
      /** The width from which all renditions are made. */
      widest: number;
      /** Set if the source consists of pixels that are already reduced. */
      decoded?: Omit<MarkedPixels, 'data'>;
    }
  | { kind: 'compare'; own: string }
  | { kind: 'convert'; target: string; conversion: Conversion }
);

export type ChildRequest = ImageRequest & {
  pixels: number;
  childBytes: number;
};

export type RequestOf<Kind> = Extract<ChildRequest, { kind: Kind }>;

export interface Conversion extends Pick<Output, 'format' | 'compression'> {
  /** The largest width in pixels; null keeps the size. */
  width: RenditionWidth | null;
}

export interface Look {
  thumbhash: string;
  /** Most frequent first. */
  colours: Colour[];
  /** Null for an image without features, such as a single colour. */
  imprint: Imprint | null;
}

/** A child sends its renditions in base64. */
export type RenditionReply<Rendition = Buffer> =
  /** The renditions in the order of their widths. */
  | ({ kind: 'made'; renditions: Rendition[] } & Look)
  | { kind: 'converted' }
  | { kind: 'compared'; likeness: number }
  | { kind: 'disk_trouble'; code: DiskTroubleCode }
  | { kind: 'broken' };

export function parseRenditionReply(message: unknown): RenditionReply {
  if (typeof message !== 'object' || message === null) return { kind: 'broken' };
  const { kind, code, renditions, thumbhash, colours, imprint, likeness } = message as Record<
    string,
    unknown
  >; // each field is checked below
  if (kind === 'disk_trouble' && isDiskTroubleCode(code)) return { kind, code };
  if (kind === 'converted') return { kind };
  if (kind === 'compared' && typeof likeness === 'number') return { kind, likeness };
  const isSeen = isThumbhash(thumbhash) && areColours(colours) && isImprintOrNull(imprint);
  const made = Array.isArray(renditions) && renditions.map(readRendition);
  if (kind === 'made' && made && made.every((one) => one !== undefined) && isSeen)
    return { kind, renditions: made, thumbhash, colours, imprint };
  return { kind: 'broken' };
}

/** More than the largest rendition: 1,600 × 16,383 pixels of noise take 17 MB, and their transparency 26 MB. */
const maxRenditionBytes = 45_000_000;

/** Undefined for anything but a whole WebP, which begins with its length. */
function readRendition(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || value.length > (maxRenditionBytes / 3) * 4) return undefined;
  const bytes = Buffer.from(value, 'base64');
  const isWhole = bytes.length > 12 && bytes.readUInt32LE(4) === bytes.length - 8;
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWhole && isWebp ? bytes : undefined;
}

function isThumbhash(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9+/]{7,36}={0,2}$/.test(value);
}

function areColours(value: unknown): value is Colour[] {
  return Array.isArray(value) && value.length <= maxColours && value.every(isColour);
}

function isImprintOrNull(value: unknown): value is Imprint | null {
  return value === null || isImprint(value);
}
