import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { knowsVersion } from '../../../../base/http/known-version.ts';
import { hidden } from '../../../../base/http/schemas.ts';
import { AppError, invalidField } from '../../../../errors.ts';
import {
  type FindImage,
  type ImageName,
  type LinkSigner,
  parseImageFile,
  whyNotValid,
  writtenWidth,
} from '../../../../images/image-links.ts';
import type { ByteRange, ImageStore } from '../../../../images/image-store.ts';
import type { Renditions } from '../../../../images/renditions/renditions.ts';
import { type RenditionWidth, renditionKey, renditionType } from '../../../../images/renditions.ts';
import { readRange } from './byte-range.ts';
import { openReadable, openRendition, readWidth } from './open-rendition.ts';

export interface ImageCallDeps {
  images: ImageStore;
  links: LinkSigner;
  renditions: Pick<Renditions, 'makeNow'>;
  findImage: FindImage;
  /** Called if an image has a row in the database but is missing from the store. An operator has to examine this. */
  onMissing(image: ImageName, key: string): void;
}

/** Serves images by signed links, without a key. `&w=256`, `768` or `1600` makes a WebP of at most that width. */
export function registerImageCalls(server: FastifyInstance, deps: ImageCallDeps): void {
  server.get('/images/:file', hidden, (request, reply) => serveImage(deps, request, reply));
  server.options('/images/:file', hidden, async (_request, reply) =>
    allowOrigins(reply).code(204).header('access-control-allow-methods', 'GET, HEAD').send(),
  );
}

async function serveImage(deps: ImageCallDeps, request: FastifyRequest, reply: FastifyReply) {
  const { links, findImage, onMissing } = deps;
  const { file } = request.params as { file: string };
  const asked = parseImageFile(file);
  if (!asked) throw new AppError('link_invalid', 'This is not a link to an image.');

  const query = request.raw.url?.split('?').slice(1).join('?') ?? '';
  const link = { ...asked, query };
  const verdict = links.verify(link);
  if (verdict !== 'ok') throw new AppError('link_invalid', whyNotValid(verdict, asked.image));

  allowOrigins(reply);
  const width = wantedWidth(writtenWidth(link), asked.image);
  const result = await findImage(asked.image);
  if (result === 'never') throw new AppError('not_found', 'There is no such image.');
  if (result === 'gone') throw new AppError('image_gone', 'This image was deleted.');
  const etag = `"${result.sha256.slice(0, 32)}${width === undefined ? '' : `-${width}`}"`;
  const known = knowsVersion(request.headers['if-none-match'], etag);
  // Ranges are for originals: renditions are small, and their size is known only once they are open.
  const isWhole = known || width !== undefined;
  const range = isWhole ? null : wantedRange(request, reply, { etag, bytes: result.bytes });
  // Opens the image even for HEAD and 304, so that no answer claims that a missing image exists.
  const opening =
    width === undefined || asked.image.kind !== 'job'
      ? deps.images.get(result.key, range ?? undefined)
      : openRendition(deps, { jobId: asked.image.jobId, key: result.key }, width);
  const stored = await openReadable(opening, clientGone(reply), () => onMissing(asked.image, result.key));
  if (known || request.method === 'HEAD') stored.body.destroy();

  reply
    .header('content-security-policy', "default-src 'none'")
    // A cache must not keep the image beyond the life of its link.
    .header('cache-control', `private, max-age=${links.secondsLeft(link)}, immutable`)
    .header('etag', etag);
  if (known) return reply.code(304).send();
  if (range) reply.code(206).header('content-range', `bytes ${range.first}-${range.last}/${result.bytes}`);
  reply
    .type(width === undefined ? result.mediaType : renditionType)
    .header('accept-ranges', width === undefined ? 'bytes' : 'none')
    .header('content-length', stored.bytes)
    .header(
      'content-disposition',
      `inline; filename="${width === undefined ? file : renditionKey(file, width)}"`,
    );
  return request.method === 'HEAD' ? reply.send() : reply.send(stored.body);
}

function wantedRange(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  { etag, bytes }: { etag: string; bytes: number },
): ByteRange | null {
  const isOfThisVersion = headers['if-range'] === undefined || headers['if-range'] === etag;
  const range = method === 'GET' && isOfThisVersion ? readRange(headers.range, bytes) : null;
  if (range !== 'unsatisfiable') return range;
  reply.header('content-range', `bytes */${bytes}`);
  throw new AppError('range_not_satisfiable', `The image has ${bytes} bytes; request a range within them.`);
}

function wantedWidth(written: string | undefined, image: ImageName): RenditionWidth | undefined {
  if (written === undefined) return undefined;
  if (image.kind !== 'job' || image.input !== null)
    throw invalidField('/query/w', 'is only for results; inputs and uploads have a single size.');
  return readWidth(written);
}

function allowOrigins(reply: FastifyReply): FastifyReply {
  return reply
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin');
}
