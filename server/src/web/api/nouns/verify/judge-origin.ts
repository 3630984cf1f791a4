import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isUuid } from '../../../../base/std/ids.ts';
import { Overloaded } from '../../../../base/std/overloaded.ts';
import { sniffImage } from '../../../../base/std/sniff-image.ts';
import { AppError } from '../../../../errors.ts';
import { diskTroubleOf } from '../../../../images/inputs/disk-trouble.ts';
import { unusableInputs } from '../../../../images/inputs/input-errors.ts';
import { notAnImage } from '../../../../images/inputs/receive-file.ts';
import type { Share, Space } from '../../../../images/inputs/space.ts';
import { makeTempFolder } from '../../../../images/inputs/temp-folder.ts';
import { readMarks } from '../../../../images/marks/read-marks.ts';
import type { Renditions } from '../../../../images/renditions/renditions.ts';
import type { Signer } from '../../../../images/signing/open-signer.ts';
import type { ReadJob } from '../../../../jobs/get-job.ts';
import type { Job } from '../../../../jobs/job.ts';
import type { MaySee } from '../../../../jobs/link-image.ts';

export interface Origin {
  made_here: boolean;
  how: 'hash' | 'signature' | 'similar' | null;
  created_at?: string;
  model?: string;
  /** The job, for callers who may see it: a key of its account, or a signed-in person. */
  job_id?: string;
  job_url?: string;
  marks: {
    /** The last part of IPTC's `DigitalSourceType`; null without one. */
    xmp: string | null;
    /** `unchecked` if there is a manifest, but this installation does not sign or the file is too large. */
    c2pa: { state: 'none' | 'unchecked' | 'valid' | 'invalid' };
  };
}

// The maximum size of a file, twice the size of the largest result.
const maxBytes = 100_000_000;
const keptBytes = 1_048_576;

export interface JudgeDeps {
  readJob: ReadJob;
  renditions: Pick<Renditions, 'findCopied'>;
  signer: Pick<Signer, 'read'> | null;
  tempDir: string;
  space: Pick<Space, 'open'>;
  publicUrl(): string;
}

export interface Asked {
  file: AsyncIterable<Uint8Array>;
  /** The place of the file in the request, as a JSON pointer for errors. */
  pointer: string;
  /** The caller whose share of disk space the file takes. */
  asker: string;
  /** Undefined for strangers, who learn nothing about the job. */
  maySee: MaySee | undefined;
}

/**
 * Judges whether a file is one of our results, or looks like one. Never reveals the prompt or the account, and reveals
 * the job only to callers who may see it. Keeps no file, but uses the disk space for inputs meanwhile.
 * @throws AppError `body_too_large`, `inputs_unusable` for a file that is not an image; Overloaded
 */
export async function judgeOrigin(deps: JudgeDeps, { file, pointer, asker, maySee }: Asked): Promise<Origin> {
  await using folder = await makeTempFolder(deps.tempDir);
  const path = join(folder.path, 'asked');
  using share = await deps.space.open(folder.path, asker);
  const { sha256, ends } = await receive(file, path, share);
  if (!sniffImage(ends)) {
    const { code, message: detail } = notAnImage();
    throw unusableInputs([{ pointer, code, detail }]);
  }
  const { sourceType, jobId, hasManifest } = readMarks(ends);
  const signature = hasManifest ? await readSignature(deps.signer, path) : 'none';
  const state = signature === 'ours' ? 'valid' : signature;
  const marks: Origin['marks'] = { xmp: sourceType, c2pa: { state } };
  const found = await recognise(deps, { named: jobId, sha256, isSigned: signature === 'ours', path });
  if (!found) return { made_here: false, how: null, marks };
  const { how, job } = found;
  return { made_here: true, how, ...(job && (await tell(deps, job, maySee))), marks };
}

/** Leaves large files `unchecked`, because verifying takes the whole file into memory. */
async function readSignature(signer: JudgeDeps['signer'], path: string) {
  const { size } = await stat(path);
  return signer && size <= maxBytes / 2 ? signer.read(await readFile(path)) : 'unchecked';
}

async function recognise(
  { readJob, renditions }: JudgeDeps,
  {
    named,
    sha256,
    isSigned,
    path,
  }: { named: string | null; sha256: string; isSigned: boolean; path: string },
): Promise<{ how: 'hash' | 'signature' | 'similar'; job: Job | undefined } | undefined> {
  const job = named !== null && isUuid(named) ? await readJob(named) : undefined;
  if (job?.image?.sha256 === sha256) return { how: 'hash', job };
  // The signature covers the whole file, and is valid even long after the job was removed.
  if (isSigned) return { how: 'signature', job };
  const copied = await renditions.findCopied(path);
  const original = copied === null ? undefined : await readJob(copied);
  return original && { how: 'similar', job: original };
}

async function tell({ publicUrl }: JudgeDeps, job: Job, maySee: MaySee | undefined) {
  const { id, accountId, model } = job;
  const page = `${publicUrl()}/accounts/${accountId}/jobs/${id}`;
  return {
    created_at: new Date(job.finishedAt ?? job.createdAt).toISOString(),
    model,
    ...((await maySee?.(accountId, job)) && { job_id: id, job_url: page }),
  };
}

/** Returns the file's hash, and the parts of its beginning and end that can contain marks. */
async function receive(
  file: AsyncIterable<Uint8Array>,
  path: string,
  share: Share,
): Promise<{ sha256: string; ends: Buffer }> {
  const { pass, result } = watch(file, share);
  try {
    await pipeline(pass, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    throw diskTroubleOf(error) ? new Overloaded(undefined, { cause: error }) : error;
  }
  return result();
}

function watch(file: AsyncIterable<Uint8Array>, share: Share) {
  const hash = createHash('sha256');
  let bytes = 0;
  // Has room for the file's beginning and for twice its end, so that bytes are moved only once per `keptBytes`.
  const kept = Buffer.allocUnsafe(3 * keptBytes);
  let end = 0;
  async function* pass() {
    for await (const chunk of file) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new AppError('body_too_large', 'The file has more than 100 MB.');
      share.take(chunk.byteLength);
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
      yield chunk;
    }
  }
  return { pass, result: () => ({ sha256: hash.digest('hex'), ends: kept.subarray(0, end) }) };
}
