import { createHash } from 'node:crypto';
import { AppError } from '../../../errors.ts';
import { readMarks } from '../../../images/marks/read-marks.ts';
import type { ReadJob } from '../../../jobs/get-job.ts';
import { isUuid } from '../../../std/ids.ts';

export interface Origin {
  made_here: boolean;
  /** By what it was recognised; null when it was not. */
  how: 'hash' | null;
  created_at?: string;
  model?: string;
  marks: {
    /** The last part of IPTC's `DigitalSourceType`; null without. */
    xmp: string | null;
    /** Signatures are not checked here: `unchecked` says that there is one. */
    c2pa: { state: 'none' | 'unchecked' };
  };
}

// Twice the largest result.
const maxBytes = 100_000_000;
const keptBytes = 1_048_576;

/**
 * Whether a result of ours is this very file: the job that it names has the same hash. Nothing of the file is kept, and nothing is
 * told of prompt and account. @throws AppError `body_too_large`
 */
export async function judgeOrigin(readJob: ReadJob, file: AsyncIterable<Uint8Array>): Promise<Origin> {
  const { sha256, ends } = await readFile(file);
  const { sourceType, jobId, hasManifest } = readMarks(ends);
  const marks: Origin['marks'] = { xmp: sourceType, c2pa: { state: hasManifest ? 'unchecked' : 'none' } };
  const job = jobId !== null && isUuid(jobId) ? await readJob(jobId) : undefined;
  if (job?.image?.sha256 !== sha256) return { made_here: false, how: null, marks };
  const createdAt = new Date(job.finishedAt ?? job.createdAt).toISOString();
  return { made_here: true, how: 'hash', created_at: createdAt, model: job.model, marks };
}

/** Its hash, and as much of its beginning and its end as marks are in. */
async function readFile(file: AsyncIterable<Uint8Array>): Promise<{ sha256: string; ends: Buffer }> {
  const hash = createHash('sha256');
  let bytes = 0;
  // The beginning, and behind it twice the end: what is kept is moved once for so many bytes, however small the pieces are that come.
  const kept = Buffer.allocUnsafe(3 * keptBytes);
  let end = 0;
  for await (const chunk of file) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new AppError('body_too_large', 'The file has more than 100 MB.');
    hash.update(chunk);
    for (let at = 0; at < chunk.byteLength; at += keptBytes) {
      const piece = chunk.subarray(at, at + keptBytes);
      if (end + piece.byteLength > kept.byteLength) {
        kept.copyWithin(keptBytes, end - keptBytes, end);
        end = 2 * keptBytes;
      }
      kept.set(piece, end);
      end += piece.byteLength;
    }
  }
  return { sha256: hash.digest('hex'), ends: kept.subarray(0, end) };
}
