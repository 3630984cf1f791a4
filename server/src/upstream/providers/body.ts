import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { InputImage } from './provider.ts';

/** A body that reads its images as it is sent, so that 40 MB of inputs are never in memory together. */
export interface Body {
  type: string;
  bytes: number;
  stream(): Readable;
}

/** An input that our image store could not read (see `cause`). The upstream is not at fault. */
export class UnreadableInput extends Error {
  override name = 'UnreadableInput';
}

export type SentImage = Pick<InputImage, 'bytes' | 'read'> & { mediaType: string };

/** Stands for an input's base64 in a JSON value, with a `data:` prefix if the upstream needs one. */
export class Base64Image {
  readonly input: SentImage;
  readonly prefix: string;
  constructor(input: SentImage, form: 'plain' | 'data-uri') {
    this.input = input;
    this.prefix = form === 'plain' ? '' : `data:${input.mediaType};base64,`;
  }
}

type Part = Buffer | { input: SentImage; as: 'base64' | 'binary' };

export function jsonBody(value: unknown): Body {
  // The marker is created after the prompt has arrived, so that no prompt can contain it.
  const marker = randomUUID();
  const images: Base64Image[] = [];
  const json = JSON.stringify(value, (_key, item: unknown) => {
    if (!(item instanceof Base64Image)) return item;
    images.push(item);
    return item.prefix + marker;
  });
  const parts = json.split(marker).flatMap((text, index): Part[] => {
    const image = images[index];
    const after: Part[] = image ? [{ input: image.input, as: 'base64' }] : [];
    return [Buffer.from(text), ...after];
  });
  return toBody('application/json', parts);
}

interface FormFile {
  name: string;
  fileName: string;
  input: InputImage;
}

/** `multipart/form-data` (RFC 7578): texts first, then files, each in the given order. */
export function formBody(texts: readonly (readonly [string, string])[], files: readonly FormFile[]): Body {
  const boundary = `darkroom-${randomUUID()}`;
  const open = `--${boundary}\r\ncontent-disposition: form-data; name=`;
  const parts: Part[] = texts.map(([name, text]) => Buffer.from(`${open}"${name}"\r\n\r\n${text}\r\n`));
  for (const { name, fileName, input } of files) {
    const head = `${open}"${name}"; filename="${fileName}"\r\ncontent-type: ${input.mediaType}\r\n\r\n`;
    parts.push(Buffer.from(head), { input, as: 'binary' }, Buffer.from('\r\n'));
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return toBody(`multipart/form-data; boundary=${boundary}`, parts);
}

export function textBody(type: string, text: string): Body {
  return toBody(type, [Buffer.from(text)]);
}

export function extension(input: InputImage): string {
  return input.mediaType === 'image/jpeg' ? 'jpg' : input.mediaType.slice('image/'.length);
}

function toBody(type: string, parts: readonly Part[]): Body {
  const bytes = parts.reduce((sum, part) => sum + partBytes(part), 0);
  return { type, bytes, stream: () => Readable.from(generate(parts), { objectMode: false }) };
}

function partBytes(part: Part): number {
  if (Buffer.isBuffer(part)) return part.length;
  return part.as === 'binary' ? part.input.bytes : 4 * Math.ceil(part.input.bytes / 3);
}

async function* generate(parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (Buffer.isBuffer(part)) yield part;
    else if (part.as === 'binary') yield* read(part.input);
    else yield* base64(read(part.input));
  }
}

async function* read(input: SentImage): AsyncGenerator<Buffer> {
  try {
    yield* await input.read();
  } catch (error) {
    throw new UnreadableInput('an input cannot be read', { cause: error });
  }
}

/** Base64 maps 3 bytes to 4 letters, so the remainder of a chunk waits for the next one. */
async function* base64(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const whole = bytes.length - (bytes.length % 3);
    rest = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(bytes.subarray(0, whole).toString('base64'), 'latin1');
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}
