import type { FastifyRequest } from 'fastify';
import { payerOf } from '../../../accounts/key-store.ts';
import type { DoorDeps } from '../door-deps.ts';
import { wrongField } from '../door-errors.ts';
import { LongText } from '../large-json.ts';
import { type SentImage, takeImages } from '../take-images.ts';
import { asFields, type Fields, take } from './fields.ts';
import { readForm, type SentForm } from './read-form.ts';

/** Reads an edit: a form with files, or JSON with links and base64. */
export async function readEdit(
  deps: DoorDeps,
  request: FastifyRequest,
  signal: () => AbortSignal,
): Promise<SentForm> {
  if (/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
    const form = await readForm(deps, request, signal());
    if (form.images.urls.length > 0) return form;
    await form.mask?.[Symbol.asyncDispose]();
    throw wrongField('/image', noImage);
  }
  try {
    const fields = asFields(request.body);
    const images = readImages(fields);
    if (images.length === 0) throw wrongField('/image', noImage);
    const mask = readMask(fields);
    const payer = payerOf(request.apiKey);
    await using held = new AsyncDisposableStack();
    const taken = held.use(await takeImages(deps, { payer, images, signal }));
    const takenMask = mask && (await takeImages(deps, { payer, images: [mask], signal }));
    held.move();
    return { fields, images: taken, mask: takenMask };
  } finally {
    request.body = undefined;
    deps.bodies.release(request);
  }
}

export const noImage = 'Send at least one image: in a form as image, in JSON as images.';

export function readImages(fields: Fields): SentImage[] {
  const images = take(fields, 'images') ?? [];
  if (!Array.isArray(images)) throw wrongField('/images', 'images must be a list.');
  return images.map((image: unknown, index) => readImage(image, `/images/${index}`));
}

export function readMask(fields: Fields): SentImage | null {
  const mask = take(fields, 'mask');
  return mask === undefined ? null : readImage(mask, '/mask');
}

function readImage(image: unknown, field: string): SentImage {
  const { image_url: url, file_id: fileId } = (image ?? {}) as Record<string, unknown>; // each is checked below
  if (fileId !== undefined && fileId !== null)
    throw wrongField(`${field}/file_id`, 'Files are not supported: send the image as image_url.');
  if (typeof url === 'string' && /^https?:\/\//i.test(url)) return { field, url };
  const data = dataOf(url);
  if (data !== undefined) return { field, data };
  throw wrongField(field, 'An image must be {"image_url": "…"} with http(s), or data:image/…;base64,….');
}

const comma = ','.charCodeAt(0);
const longestPrefix = 100;

function dataOf(url: unknown): string | LongText | undefined {
  if (url instanceof LongText) {
    const [prefix, data] = url.cut(comma, longestPrefix) ?? [];
    return prefix && isPrefix(new LongText([prefix]).read()) ? data : undefined;
  }
  if (typeof url !== 'string') return undefined;
  const end = url.indexOf(',');
  return isPrefix(url.slice(0, Math.max(0, end))) ? url.slice(end + 1) : undefined;
}

function isPrefix(text: string): boolean {
  return /^data:image\/[a-z0-9.+-]+;base64$/i.test(text);
}
