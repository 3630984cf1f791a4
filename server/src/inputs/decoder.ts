import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SourceMediaType } from '../std/sniff-image.ts';
import { type ChildPool, createChildPool } from './child-pool.ts';
import {
  type DecodedFile,
  type DecodeReply,
  type DecodeRequest,
  isReady,
  parseReply,
} from './decoder-messages.ts';
import { InputError } from './input-errors.ts';
import { childStartMs, type DecodeLimits, decodeLimits, decoderIdleMs, decodersInProcess } from './limits.ts';
import { createSemaphore } from './semaphore.ts';

/** Decodes clients' images in child processes, so that no image can harm this one. */
export interface Decoder extends AsyncDisposable {
  /** Throws `InputError`. `signal` ends waiting and decoding. Owners take turns. */
  decode(image: SourceImage, signal: AbortSignal, owner: string): Promise<DecodedFile>;
  /** Starts a child before it is needed, while downloads are under way. */
  warmUp(): void;
  /** Process ids of the running children. */
  pids(): number[];
}

export interface SourceImage {
  source: string;
  /** Path of the re-encoded image. */
  target: string;
  mediaType: SourceMediaType;
}

export interface DecoderOptions {
  limits?: Partial<DecodeLimits>;
  /** How long a child without work is kept. */
  idleMs?: number;
  /** The script that children run; tests use ones that crash or hang. */
  script?: string;
}

export function createDecoder(options: DecoderOptions = {}): Decoder {
  const limits = { ...decodeLimits, ...options.limits };
  const { idleMs = decoderIdleMs, script = childScript } = options;
  const children = createChildPool({ script, idleMs });
  const places = createSemaphore(decodersInProcess);
  return {
    async decode({ source, target, mediaType }, signal, owner) {
      const leave = await places.take(1, signal, owner);
      try {
        const request = { source, target, sourceMediaType: mediaType, limits };
        return fileOf(await askOrRetry(children, request, signal), limits);
      } finally {
        leave();
      }
    },
    warmUp: children.warmUp,
    pids: children.pids,
    [Symbol.asyncDispose]: () => children[Symbol.asyncDispose](),
  };
}

const childScript = fileURLToPath(new URL('./decoder-child.ts', import.meta.url));

type Ending = 'died' | 'hung' | 'never_started';

/**
 * Tries again in a new child when one dies: the kernel may have killed it for reasons other than the image.
 */
async function askOrRetry(
  children: ChildPool,
  request: DecodeRequest,
  signal: AbortSignal,
): Promise<DecodeReply> {
  let reply = await askNext(children, request, signal);
  if (reply === 'died' || reply === 'never_started') reply = await askNext(children, request, signal);
  // A child that cannot start is not the fault of an image.
  if (reply === 'never_started')
    throw new Error('the image decoder does not start; run decoder-child.ts to see why');
  return typeof reply === 'string' ? { kind: 'broken' } : reply;
}

async function askNext(
  children: ChildPool,
  request: DecodeRequest,
  signal: AbortSignal,
): Promise<DecodeReply | Ending> {
  const child = children.take();
  const reply = await ask(child, request, signal, children.hasStarted(child));
  if (typeof reply === 'string') children.end(child);
  else children.keep(child);
  signal.throwIfAborted();
  return typeof reply === 'string' && !children.hasStarted(child) ? 'never_started' : reply;
}

function ask(
  child: ChildProcess,
  request: DecodeRequest,
  signal: AbortSignal,
  hasStarted: boolean,
): Promise<DecodeReply | Ending> {
  return new Promise((resolve) => {
    const hangsAfter = (ms: number) => setTimeout(() => finish('hung'), ms);
    let timer = hangsAfter(hasStarted ? request.limits.imageMs : childStartMs);
    const onMessage = (message: unknown) => {
      if (!isReady(message)) return finish(parseReply(message));
      if (hasStarted) return; // a second `ready` must not extend the time
      hasStarted = true;
      clearTimeout(timer);
      timer = hangsAfter(request.limits.imageMs);
    };
    const onGone = () => finish('died');
    const onAbort = () => finish('hung');
    const finish = (reply: DecodeReply | Ending) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onGone).off('error', onGone);
      signal.removeEventListener('abort', onAbort);
      resolve(reply);
    };
    child.on('message', onMessage).on('exit', onGone).on('error', onGone);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) finish('hung');
    else child.send(request, (error) => error !== null && onGone());
  });
}

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
    case 'disk_trouble':
      throw Object.assign(new Error('the decoder cannot write its file'), { code: reply.code });
    case 'broken':
      throw new InputError(
        'input_not_an_image',
        'The image is damaged or incomplete and cannot be decoded. Save it again.',
      );
  }
}
