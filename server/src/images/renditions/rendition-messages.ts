import { type Imprint, isImprint } from '../imprint.ts';
import { type DiskTroubleCode, isDiskTroubleCode } from '../inputs/disk-trouble.ts';
import type { Output } from '../output.ts';
import type { MarkedPixels, RenditionWidth } from '../renditions.ts';
import { type Colour, isColour, maxColours } from './name-colours.ts';

export type ImageRequest = { source: string } & (
  | {
      kind: 'render';
      widths: readonly number[];
      /** The width to which the image is reduced first, and from which all renditions are made. */
      widest: number;
      /** Set if the source consists of pixels that are already reduced. */
      decoded?: Omit<MarkedPixels, 'data'>;
    }
  /** Compares the source with one of our renditions. */
  | { kind: 'compare'; own: string }
  /** Converts the source into the file `target`. */
  | { kind: 'convert'; target: string; conversion: Conversion }
);

export type ChildRequest = ImageRequest & {
  pixels: number;
  /** The child exits when its resident memory exceeds this. */
  childBytes: number;
};

export type RequestOf<Kind> = Extract<ChildRequest, { kind: Kind }>;

export interface Conversion extends Pick<Output, 'format' | 'compression'> {
  /** The largest width in pixels; null keeps the size. */
  width: RenditionWidth | null;
}

export interface Look {
  /** Base64. */
  thumbhash: string;
  /** The main colours, most frequent first. */
  colours: Colour[];
  /** Null for an image without features, such as a single colour. */
  imprint: Imprint | null;
}

export type RenditionReply =
  /** The renditions in base64, in the order of their widths. */
  | ({ kind: 'made'; renditions: string[] } & Look)
  | { kind: 'converted' }
  | { kind: 'compared'; likeness: number }
  | { kind: 'disk_trouble'; code: DiskTroubleCode }
  | { kind: 'broken' };

/** Checks a child's message completely, because an image that has taken over the child may have forged it. */
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
  if (kind === 'made' && areStrings(renditions) && isSeen)
    return { kind, renditions, thumbhash, colours, imprint };
  return { kind: 'broken' };
}

function areStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Whether a value is 5 to 25 bytes in base64. */
function isThumbhash(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9+/]{7,36}={0,2}$/.test(value);
}

function areColours(value: unknown): value is Colour[] {
  return Array.isArray(value) && value.length <= maxColours && value.every(isColour);
}

function isImprintOrNull(value: unknown): value is Imprint | null {
  return value === null || isImprint(value);
}
