import type { Logo } from '../../base/brand/brand.ts';

export interface LogoRequest {
  file: string;
  childBytes: number;
}

export type LogoReply =
  | ({ kind: 'drawn'; png: string } & Pick<Logo, 'width' | 'height' | 'unseenOn'>)
  | { kind: 'unknown' }
  | { kind: 'broken' };

/** The largest size of a logo in CSS pixels. A logo stands next to a name, and is no larger than the page's heading. */
export const most = { width: 240, height: 40 };
/** Screen pixels per CSS pixel, two on many screens. */
export const density = 2;

/** The size of uncompressed pixels and headers in base64. No PNG is larger. */
const maxPng = (most.width * most.height * density ** 2 * 4 + 4_096) * (4 / 3);

export function parseLogoReply(message: unknown): LogoReply {
  if (typeof message !== 'object' || message === null) return { kind: 'broken' };
  const { kind, png, width, height, unseenOn } = message as Record<string, unknown>; // each field is checked below
  if (kind === 'unknown') return { kind };
  if (kind === 'drawn' && isPng(png) && isSide(width, most.width) && isSide(height, most.height)) {
    if (unseenOn === null || unseenOn === 'light' || unseenOn === 'dark')
      return { kind, png, width, height, unseenOn };
  }
  return { kind: 'broken' };
}

function isPng(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxPng && value.startsWith('iVBORw0KGg');
}

function isSide(value: unknown, largest: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= largest;
}
