import { readFile } from 'node:fs/promises';
import { Overloaded } from '../../base/std/overloaded.ts';
import { AppError } from '../../errors.ts';
import type { DecodedFile } from '../../images/inputs/decoder-messages.ts';
import type { IngestContext } from '../../images/inputs/ingest-inputs.ts';
import { InputErrors, unusableInputs } from '../../images/inputs/input-errors.ts';
import { isIntakeTrouble } from '../../images/uploads/intake-trouble.ts';

/** Fetches a preview of an input, so that the page that shows it need not contact the URL's server. */
export type PreviewInput = (asked: {
  url: string;
  accountId: string;
  signal: AbortSignal;
}) => Promise<DecodedFile & { content: Buffer }>;

/** The longer side of a preview: twice the largest size that the panel shows, for high-density screens. */
const longSide = 384;
/** The time limit for a preview, including the wait for a download slot. */
const patienceMs = 30_000;

/** Fetches an input as a create does, but stores nothing. @throws Overloaded, AppError `inputs_unusable` */
export function createPreviewInput(deps: Omit<IngestContext, 'signal' | 'owner'>): PreviewInput {
  const { decoder } = deps;
  return async ({ url, accountId: owner, signal: left }) => {
    // Loaded on first use, because a server that fetches nothing needs no HTTP client.
    const { fetchInputs } = await import('../../images/inputs/fetch-inputs.ts');
    decoder.warmUp();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Overloaded()), patienceMs);
    const context = { ...deps, owner, signal: AbortSignal.any([left, late.signal]) };
    try {
      await using previews = await fetchInputs([url], context, async ({ path, mediaType }, signal, share) => {
        const target = `${path}.preview`;
        const file = await decoder.decode({ source: path, target, mediaType, longSide }, signal, owner);
        share.take(file.bytes);
        return { ...file, content: await readFile(target) };
      });
      const [preview] = previews.files;
      if (!preview) throw new Error('one URL has one file');
      return preview;
    } catch (error) {
      if (error instanceof InputErrors)
        throw unusableInputs(
          error.errors.map((one) => ({ ...one, pointer: '/url' })),
          error,
        );
      if (!isIntakeTrouble(error)) throw error;
      throw new AppError(
        'storage_unavailable',
        'The image could not be checked. Try again shortly.',
        {},
        { cause: error },
      );
    } finally {
      clearTimeout(timer);
    }
  };
}
