import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { erasedMeanwhile } from '../../accounts/erased-meanwhile.ts';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { groupDigits } from '../../base/std/group-digits.ts';
import { newId } from '../../base/std/ids.ts';
import type { Log } from '../../base/std/log.ts';
import { orAborted } from '../../base/std/or-aborted.ts';
import { Overloaded } from '../../base/std/overloaded.ts';
import { AppError } from '../../errors.ts';
import type { JobMeter, Limit, LimitDefaults, Payer } from '../../money/limits/limit.ts';
import { expiryOf, type LinkSigner, uploadName } from '../image-links.ts';
import type { ImageStore } from '../image-store.ts';
import { createBudget } from '../inputs/budget.ts';
import type { Decoder } from '../inputs/decoder.ts';
import type { DecodedFile } from '../inputs/decoder-messages.ts';
import { InputError, unusableInputs } from '../inputs/input-errors.ts';
import { fetchLimits } from '../inputs/limits.ts';
import { receiveFile } from '../inputs/receive-file.ts';
import type { Semaphore } from '../inputs/semaphore.ts';
import { DiskLow, type Space } from '../inputs/space.ts';
import { makeTempFolder } from '../inputs/temp-folder.ts';
import { extensions } from '../media-types.ts';
import { countBytes, countIfWithin } from './count-bytes.ts';
import { dropUpload } from './drop-upload.ts';
import { isIntakeTrouble } from './intake-trouble.ts';
import { slotPatienceMs, storePatienceMs, type UploadLimits, uploadLimits } from './limits.ts';
import { insertUploadIfRoom, readStoredUploads, type StoredUpload } from './upload-store.ts';

export interface UploadDeps {
  database: Database;
  images: ImageStore;
  links: LinkSigner;
  clock: Clock;
  log: Log;
  decoder: Decoder;
  slots: Semaphore;
  space: Space;
  tempDir: string;
  limits?: Partial<UploadLimits>;
  limitDefaults: LimitDefaults;
}

export interface UploadRequest extends Payer {
  source: AsyncIterable<Uint8Array> | Uint8Array;
  /** The announced length. It lets an upload that is too large fail early. */
  bytes?: number | undefined;
  /** The JSON pointer of the image in the client's body, for errors. */
  pointer?: string;
  signal: AbortSignal;
}

export interface Upload extends StoredUpload {
  /** A link to the upload. As an input, it needs no connection, and it works only for the upload's account. */
  url: string;
}

/**
 * A failure leaves nothing behind. @throws Overloaded, AppError `inputs_unusable`, `upload_limit_reached`,
 * `input_limit_reached`, `storage_unavailable`, `key_invalid`
 */
export async function takeUpload(deps: UploadDeps, request: UploadRequest): Promise<Upload> {
  const { accountId, pointer = '', signal } = request;
  const stored = await readStoredUploads(deps.database.read, accountId);
  const limits = { ...uploadLimits, ...deps.limits };
  if (stored.count >= limits.count || stored.bytes >= limits.bytes) throw limitReached(limits);
  // Refuses the upload before any byte arrives if the account has reached its limit of bytes.
  await countIfWithin(deps.database.read, { payer: request, bytes: 1, defaults: deps.limitDefaults });
  const leave = await within(slotPatienceMs, signal, (soon) => deps.slots.take(1, soon, accountId));
  try {
    return await receiveAndStore(deps, request, limits);
  } catch (error) {
    if (error instanceof InputError)
      throw unusableInputs([{ pointer, code: error.code, detail: error.message }], error);
    if (error instanceof DiskLow) deps.log.error('inputs.disk_low', { account_id: accountId });
    throw isIntakeTrouble(error) ? notStored(deps.log, accountId, error) : error;
  } finally {
    leave();
  }
}

async function receiveAndStore(
  deps: UploadDeps,
  request: UploadRequest,
  limits: UploadLimits,
): Promise<Upload> {
  const { accountId, source, bytes = 0, signal } = request;
  deps.decoder.warmUp();
  await using folder = await makeTempFolder(deps.tempDir);
  using share = await deps.space.open(folder.path, accountId);
  const meter = createBudget(
    fetchLimits.totalBytes,
    () => {},
    (more) => share.take(more),
  ).meter(1);
  meter.expect(bytes);
  const { path, mediaType } = await receiveFile(
    source instanceof Uint8Array ? once(source) : source,
    join(folder.path, 'upload.source'),
    { meter, empty: () => new InputError('input_not_an_image', 'The file is empty. Send an image.') },
  );
  return await within(storePatienceMs, signal, async (soon) => {
    const target = `${path}.decoded`;
    const file = await deps.decoder.decode({ source: path, target, mediaType }, soon, accountId);
    return await store(deps, { payer: request, path: target, file, limits, signal: soon });
  });
}

/**
 * Inserts the row first. After a crash in between, the row counts towards the limits until it expires. An image without
 * a row would stay until a sweep removes it by age.
 */
async function store(
  deps: UploadDeps,
  {
    payer,
    path,
    file,
    limits,
    signal,
  }: { payer: Payer; path: string; file: DecodedFile; limits: UploadLimits; signal: AbortSignal },
): Promise<Upload> {
  const { clock, database, images, limitDefaults: defaults } = deps;
  const { accountId } = payer;
  const id = newId(clock.nowMs());
  const expiresAt = expiryOf(clock.nowMs());
  const upload = { ...file, id, accountId, key: `uploads/${id}.${extensions[file.mediaType]}`, expiresAt };
  let countedBy: Limit<JobMeter>[] = [];
  const kept = await database.transaction(async (tx) => {
    const inserted = await insertUploadIfRoom(tx, upload, limits);
    if (inserted === 'inserted') countedBy = await countBytes(tx, { payer, bytes: file.bytes, defaults });
    return inserted;
  });
  if (kept !== 'inserted') throw kept === 'erased' ? erasedMeanwhile(payer) : limitReached(limits);
  try {
    await orAborted(images.put(upload.key, createReadStream(path, { signal }), file), signal);
  } catch (error) {
    const counted = { bytes: file.bytes, countedBy };
    await dropUpload(deps, { accountId, uploadId: id, counted }).catch(() => {}); // otherwise it expires
    throw error;
  }
  return withUrl(deps, upload);
}

export function withUrl({ links }: Pick<UploadDeps, 'links'>, upload: StoredUpload): Upload {
  const { id, mediaType, expiresAt } = upload;
  return { ...upload, url: links.sign(uploadName(id), extensions[mediaType], expiresAt) };
}

async function within<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Overloaded()), ms);
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

function limitReached({ count, bytes }: UploadLimits): AppError {
  const most = `${groupDigits(count)} uploads with ${groupDigits(bytes)} bytes`;
  return new AppError(
    'upload_limit_reached',
    `An account keeps at most ${most} in all. Delete some, or wait until they expire.`,
  );
}

function notStored(log: Log, accountId: string, cause: Error): AppError {
  log.error('upload.not_stored', { account_id: accountId, reason: cause.message });
  return new AppError(
    'storage_unavailable',
    'The image could not be stored. Send it again shortly.',
    {},
    { cause },
  );
}
