import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGuard } from '../../src/base/guard/guard.ts';
import { bookOf } from '../../src/upstream/prices/rate-book.ts';
import {
  type ImageRequest,
  type InputImage,
  type Provider,
  ProviderError,
  type RunContext,
  type ToldCharge,
} from '../../src/upstream/providers/provider.ts';
import { sampleImage } from '../emulators/sample-image.ts';

/**
 * The guard of an installation without opened networks: on this machine, only the provider's own address is allowed.
 */
export const guard = createGuard({ allowNetworks: [] });

export function request(wanted: Partial<ImageRequest> = {}): ImageRequest {
  return {
    jobId: randomUUID(),
    prompt: 'a red fox',
    aspectRatio: '1:1',
    resolution: '1K',
    width: 1024,
    height: 1024,
    inputs: [],
    fields: {},
    ...wanted,
  };
}

/** The context of an undisturbed attempt. Its twenty seconds are far more than any emulator needs. */
export function run(wanted: Partial<RunContext> = {}): RunContext {
  return {
    ...{ signal: AbortSignal.timeout(20_000), attempt: 1 },
    ...{ onSubmitted: async () => {}, onCharge: () => {} },
    ...wanted,
  };
}

export async function costOf(
  provider: Provider,
  wanted: Partial<RunContext> = {},
): Promise<bigint | undefined> {
  let cost: bigint | undefined;
  const onCharge = ({ used }: ToldCharge) => {
    cost = used && bookOf(new Map()).costOf(provider.id, provider.model, used)?.micros;
  };
  await provider.generate(request(), run({ ...wanted, onCharge }));
  return cost;
}

export async function inputs(count: number): Promise<InputImage[]> {
  const all: InputImage[] = [];
  for (let index = 0; index < count; index += 1) {
    const format = index % 2 === 0 ? 'png' : 'jpeg';
    const size = { width: 20 + index, height: 16 };
    const bytes = await sampleImage({ ...size, colour: `hsl(${index * 25}, 80%, 50%)`, format });
    all.push(input(bytes, { ...size, mediaType: `image/${format}` }));
  }
  return all;
}

/** An input that is read in pieces whose lengths are not multiples of three, as files are. */
export function input(bytes: Buffer, shape: Pick<InputImage, 'width' | 'height' | 'mediaType'>): InputImage {
  const piece = 65_536;
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, n) =>
    bytes.subarray(n * piece, (n + 1) * piece),
  );
  return { ...shape, bytes: bytes.length, read: async () => Readable.from(pieces, { objectMode: false }) };
}

export async function failureOf(work: Promise<unknown>): Promise<ProviderError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof ProviderError, `wanted a ProviderError, got ${String(outcome)}`);
  return outcome;
}

export function closing<Parts extends Record<string, object>>(parts: Parts): Parts & AsyncDisposable {
  const close = async () => {
    for (const part of Object.values(parts)) {
      const dispose: unknown = Reflect.get(part, Symbol.asyncDispose);
      if (typeof dispose === 'function') await dispose.call(part);
    }
  };
  return Object.assign(parts, { [Symbol.asyncDispose]: close });
}
