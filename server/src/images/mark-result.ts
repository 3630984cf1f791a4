import { markPng } from './marks/mark-png.ts';
import { type MarkPolicy, type OriginMark, xmpOf } from './marks/origin-mark.ts';
import type { Normalised } from './normalise-image.ts';
import type { Signer } from './signing/open-signer.ts';

const removed =
  'The statement of its origin (C2PA) was for the image as received and is not part of this file.';

/** Adds XMP to the PNG and its kept pixels, unless the PNG keeps its upstream's statement, which says the same. */
export function markResult(
  { png, manifest, place }: Normalised,
  mark: OriginMark,
  policy: MarkPolicy,
): Uint8Array {
  if (manifest === 'kept') return png;
  const xmp = xmpOf(mark, policy);
  place?.mark(xmp);
  return markPng(png, xmp);
}

/**
 * Signs a result. The upstream's statement becomes an ingredient of our statement, or `notes` say that it is lost.
 * `made` is the file as received.
 */
export async function signResult(
  signer: Signer | null,
  { marked, made, manifest }: { marked: Uint8Array; made: Uint8Array; manifest: Normalised['manifest'] },
  { sourceType, madeAtMs: atMs, model }: OriginMark & { model: string },
): Promise<{ signed: Uint8Array; notes: string[] }> {
  if (manifest === 'kept') return { signed: marked, notes: [] };
  const upstream = manifest === 'removed' ? made : null;
  const signed = await signer?.signResult(marked, { sourceType, model, atMs }, upstream);
  const isGone = upstream !== null && !signed?.hasIngredient;
  return { signed: signed?.bytes ?? marked, notes: isGone ? [removed] : [] };
}
