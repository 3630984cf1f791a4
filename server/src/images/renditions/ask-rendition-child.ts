import { StoreUnavailable } from '../image-store.ts';
import { askChild } from '../inputs/ask-child.ts';
import type { ChildPool } from '../inputs/child-pool.ts';
import type { DiskTroubleCode } from '../inputs/disk-trouble.ts';
import { type ImageRequest, parseRenditionReply, type RenditionReply } from './rendition-messages.ts';

/** Decoded row by row, the largest result takes only a fraction of the memory that all its pixels would take. */
const childLimits = { pixels: 50_000_000, childBytes: 600_000_000 };
/** 16 megapixels take half a second of processor time, but much longer at low priority. */
const limitMs = 60_000;

/** Undefined if no child answers. @throws Overloaded, StoreUnavailable if the disk fails */
export async function askRenditionChild(
  children: ChildPool,
  image: ImageRequest,
  signal: AbortSignal,
): Promise<RenditionReply | undefined> {
  const request = { ...image, ...childLimits };
  const reply = await askChild(children, { request, limitMs, parse: parseRenditionReply, signal });
  if (reply?.kind === 'disk_trouble') throw diskTrouble(reply.code);
  return reply;
}

/** The error for a full or failing disk, which may recover. */
export function diskTrouble(code: DiskTroubleCode, cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(`the disk for temporary files fails (${code})`, { cause });
}
