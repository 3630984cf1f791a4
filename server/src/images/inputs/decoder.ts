import { fileURLToPath } from 'node:url';
import type { SourceMediaType } from '../../base/std/sniff-image.ts';
import { askChild } from './ask-child.ts';
import { createChildPool } from './child-pool.ts';
import {
  type DecodedFile,
  type DecodeReply,
  type DecodeRequest,
  type MaskShape,
  parseReply,
} from './decoder-messages.ts';
import { InputError } from './input-errors.ts';
import { type DecodeLimits, decodeLimits, decoderIdleMs, decodersInProcess } from './limits.ts';
import { createSemaphore } from './semaphore.ts';

/** Decodes in child processes, so that no image can harm this process. */
export interface Decoder extends AsyncDisposable {
  /** Decodes and cleans an image. Owners take turns. `signal` ends waiting and decoding. @throws InputError */
  decode(image: SourceImage, signal: AbortSignal, owner: string): Promise<DecodedFile>;
  warmUp(): void;
  pids(): number[];
}

export interface SourceImage {
  source: string;
  target: string;
  mediaType: SourceMediaType;
  /** Replaces the decoder's limit for the longest side of the cleaned image. */
  longSide?: number;
  mask?: MaskShape;
}

export interface DecoderOptions {
  limits?: Partial<DecodeLimits>;
  idleMs?: number;
  /** Tests replace the children's script with one that crashes or hangs. */
  script?: string;
}

export function createDecoder(options: DecoderOptions = {}): Decoder {
  const limits = { ...decodeLimits, ...options.limits };
  const { idleMs = decoderIdleMs, script = childScript } = options;
  const children = createChildPool({ script, idleMs });
  const places = createSemaphore(decodersInProcess);
  return {
    async decode({ source, target, mediaType, longSide = limits.longSide, mask }, signal, owner) {
      const leave = await places.take(1, signal, owner);
      try {
        const request: DecodeRequest = {
          source,
          target,
          sourceMediaType: mediaType,
          limits: { ...limits, longSide },
          mask,
        };
        const reply = await askChild(children, {
          request,
          limitMs: limits.imageMs,
          mostMs: busyFactor * limits.imageMs,
          parse: parseReply,
          signal,
        });
        return fileOf(reply ?? { kind: 'broken' }, limits);
      } finally {
        leave();
      }
    },
    warmUp: children.warmUp,
    pids: children.pids,
    [Symbol.asyncDispose]: () => children[Symbol.asyncDispose](),
  };
}

/** On a busy machine, an image may take this many times its limit. */
const busyFactor = 3;
const childScript = fileURLToPath(new URL('./decoder-child.ts', import.meta.url));

function fileOf(reply: DecodeReply, limits: DecodeLimits): DecodedFile {
  switch (reply.kind) {
    case 'decoded':
      return reply.file;
    case 'too_many_pixels': {
      const most = `${limits.pixels / 1_000_000} megapixels`;
      throw new InputError(
        'input_too_large',
        `The image is ${reply.width} × ${reply.height}; the most is ${most}. Scale it down.`,
      );
    }
    case 'misshapen':
      throw new InputError(
        'mask_misshapen',
        `The mask is ${reply.width} × ${reply.height}, which is not the shape of the first input image.`,
      );
    case 'opaque':
      throw new InputError(
        'mask_opaque',
        'The mask has no transparency to mark what changes. Send a PNG whose part to change is transparent.',
      );
    case 'disk_trouble':
      throw Object.assign(new Error('the decoder cannot write its file'), { code: reply.code });
    case 'broken':
      throw new InputError(
        'input_not_an_image',
        'The image is damaged or incomplete and cannot be decoded. Save it again.',
      );
  }
}
