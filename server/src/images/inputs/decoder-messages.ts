import type { SourceMediaType } from '../../base/std/sniff-image.ts';
import { type DiskTroubleCode, isDiskTroubleCode } from './disk-trouble.ts';
import type { DecodeLimits } from './limits.ts';

export interface MaskShape {
  width: number;
  height: number;
  /** The pixels of the received file that mark the part to change. */
  changed: 'white' | 'transparent';
}

export interface DecodeRequest {
  source: string;
  target: string;
  sourceMediaType: SourceMediaType;
  limits: DecodeLimits;
  mask?: MaskShape | undefined;
}

export interface DecodedFile {
  /** The type of the cleaned file, which is upright, without metadata, in sRGB with 8 bits per channel. */
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
  bytes: number;
  sha256: string;
}

export type DecodeReply =
  | { kind: 'decoded'; file: DecodedFile }
  | { kind: 'too_many_pixels'; width: number; height: number }
  /** A mask whose shape differs from that of its image. */
  | { kind: 'misshapen'; width: number; height: number }
  /** A mask without transparent pixels, which would mark the part to change. */
  | { kind: 'opaque' }
  | { kind: 'disk_trouble'; code: DiskTroubleCode }
  | { kind: 'broken' };

export function parseReply(message: unknown): DecodeReply {
  if (!isRecord(message)) return { kind: 'broken' };
  const { kind, width, height, code, file } = message;
  if ((kind === 'too_many_pixels' || kind === 'misshapen') && isCount(width) && isCount(height))
    return { kind, width, height };
  if (kind === 'opaque') return { kind };
  if (kind === 'disk_trouble' && isDiskTroubleCode(code)) return { kind, code };
  if (kind === 'decoded' && isRecord(file)) {
    const { mediaType, bytes, sha256 } = file;
    if (
      isMediaType(mediaType) &&
      isCount(file.width) &&
      isCount(file.height) &&
      isCount(bytes) &&
      isHash(sha256)
    ) {
      return { kind, file: { mediaType, width: file.width, height: file.height, bytes, sha256 } };
    }
  }
  return { kind: 'broken' };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function isMediaType(value: unknown): value is DecodedFile['mediaType'] {
  return value === 'image/png' || value === 'image/jpeg' || value === 'image/webp';
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}
