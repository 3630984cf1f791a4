import { rm } from 'node:fs/promises';
import type { Decoder } from './decoder.ts';
import type { DecodedFile, MaskShape } from './decoder-messages.ts';
import { type FetchContext, fetchInputs, type InputSet } from './fetch-inputs.ts';

export interface IngestContext extends FetchContext {
  decoder: Decoder;
}

export interface IngestedInput extends DecodedFile {
  path: string;
  /** True for an input that was already stored, as an upload or a job's image. */
  isOwn: boolean;
}

/** The inputs in the client's order. Disposing removes the files, so store them first. */
export type IngestedInputs = InputSet<IngestedInput>;

/** Makes inputs upright and safe to show. With `mask`, the inputs are masks of that shape. @throws InputErrors */
export async function ingestInputs(
  urls: readonly string[],
  context: IngestContext,
  mask?: MaskShape,
): Promise<IngestedInputs> {
  context.decoder.warmUp();
  return fetchInputs(urls, context, async (input, signal, share) => {
    if (input.normalised && !mask) return { ...input.normalised, path: input.path, isOwn: true };
    const target = `${input.path}.decoded`;
    const file = await context.decoder.decode(
      { source: input.path, target, mediaType: input.mediaType, ...(mask && { mask }) },
      signal,
      context.owner,
    );
    // Removes the original, which may be eight times as large as the cleaned file.
    await rm(input.path);
    share.giveBack(input.bytes);
    share.take(file.bytes);
    return { ...file, path: target, isOwn: input.isOwn };
  });
}
