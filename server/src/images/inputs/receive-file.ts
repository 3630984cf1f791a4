import { type FileHandle, open } from 'node:fs/promises';
import { type SourceMediaType, sniffBytes, sniffImage } from '../../base/std/sniff-image.ts';
import type { Meter } from './budget.ts';
import { InputError } from './input-errors.ts';

export interface ReceivedFile {
  path: string;
  mediaType: SourceMediaType;
  bytes: number;
}

export interface ReceiveOptions {
  meter: Meter;
  onChunk?(): void;
  empty(): InputError;
}

/** @throws InputError, and errors of the body */
export async function receiveFile(
  body: AsyncIterable<Uint8Array>,
  path: string,
  options: ReceiveOptions,
): Promise<ReceivedFile> {
  await using file = await open(path, 'wx', 0o600);
  const { head, bytes } = await writeAll(body, file, options);
  const mediaType = sniffImage(head);
  if (bytes === 0) throw options.empty();
  if (mediaType === undefined) throw notAnImage();
  return { path, mediaType, bytes };
}

/** The size of one write. It is large because each write waits for the thread pool. Fourteen inputs buffer 4 MB. */
const writeBytes = 262_144;

async function writeAll(
  body: AsyncIterable<Uint8Array>,
  file: FileHandle,
  { meter, onChunk }: ReceiveOptions,
): Promise<{ head: Buffer; bytes: number }> {
  let head: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let unwritten: Uint8Array[] = [];
  let unwrittenBytes = 0;
  const flush = async () => {
    if (unwrittenBytes > 0) await file.writev(unwritten);
    unwritten = [];
    unwrittenBytes = 0;
  };
  for await (const chunk of body) {
    onChunk?.();
    bytes += chunk.length;
    meter.count(chunk.length);
    if (head.length < sniffBytes) {
      head = Buffer.concat([head, chunk.subarray(0, sniffBytes)]);
      if (head.length >= sniffBytes && sniffImage(head) === undefined) throw notAnImage();
    }
    unwritten.push(chunk);
    unwrittenBytes += chunk.length;
    if (unwrittenBytes >= writeBytes) await flush();
  }
  await flush();
  return { head, bytes };
}

export function notAnImage(): InputError {
  return new InputError('input_not_an_image', 'The file is not a JPEG, PNG, WebP or GIF image.');
}
