import { crc32, deflateSync } from 'node:zlib';
import { allRatios, resolutions } from '../../src/upstream/catalog/models.ts';
import type { Use } from '../../src/upstream/prices/rates.ts';
import type { ImageRequest, MadeImage, Provider, RunContext } from '../../src/upstream/providers/provider.ts';

type Handler = (request: ImageRequest, context: RunContext) => Promise<MadeImage>;

/** A provider that answers at once with a plain image of the promised size, or as a test's handler does. */
export class TestProvider implements Provider {
  readonly id: string = 'test';
  readonly model: string = 'test-1';
  readonly capabilities = {
    ratios: [...allRatios],
    resolutions: [...resolutions],
    anySize: true,
    maxInputs: 14,
    resumable: false,
    exact: true,
  };
  readonly takesField = () => true;
  readonly requests: { request: ImageRequest; attempt: number }[] = [];
  /** Handles requests; `answer` by default. */
  handler: Handler = async (request) => this.answer(request);

  async generate(request: ImageRequest, context: RunContext): Promise<MadeImage> {
    this.requests.push({ request, attempt: context.attempt });
    return this.handler(request, context);
  }

  answer({ width, height }: { width: number; height: number }): MadeImage {
    return { bytes: plainPng(width, height) };
  }

  async check(): Promise<{ ok: boolean }> {
    return { ok: true };
  }
}

const made = new Map<string, Buffer>();

/** A one-colour PNG of these pixels, one bit each: a few hundred bytes, made once. */
export function plainPng(width: number, height: number): Buffer {
  const name = `${width}x${height}`;
  const known = made.get(name);
  if (known) return known;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1; // bits per pixel; the other bytes mean grayscale, deflate, no filter, not interlaced
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  made.set(name, png);
  return png;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** An upstream that charges in credits, as Black Forest Labs does, so that it can charge any amount. */
export class CreditProvider extends TestProvider {
  override readonly id: string = 'bfl';
}

/** The number of credits that has this cost in the book of rates, where a credit is a cent. */
export function creditsOf(micros: number | bigint): Use {
  return { credit: Number(micros) / 10_000 };
}
