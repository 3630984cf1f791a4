import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Brand } from '../../../../base/brand/brand.ts';
import type { Database } from '../../../../base/db/database.ts';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { problems } from '../../../../base/http/problems.ts';
import { hidden } from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { type Html, html } from '../../../../base/std/markup/html.ts';
import { AppError } from '../../../../errors.ts';
import type { ImageStore } from '../../../../images/image-store.ts';
import { extensions } from '../../../../images/media-types.ts';
import type { Renditions } from '../../../../images/renditions/renditions.ts';
import { renditionType, renditionWidths } from '../../../../images/renditions.ts';
import type { Job } from '../../../../jobs/job.ts';
import { imageGone } from '../../../../jobs/link-image.ts';
import { openShare, openSharedImage, type Shared } from '../../../../jobs/shares/share-images.ts';
import type { Share } from '../../../../jobs/shares/share-store.ts';
import { brandFoot, brandHead, brandIcon, brandSheet, titleUnder } from '../../brand-parts.ts';
import { type Reader, readerOf, sayProblem, writtenIn } from '../../page-reader.ts';
import { openReadable, openRendition, readWidth } from '../images/open-rendition.ts';

export interface ShareDeps {
  database: Database;
  clock: Clock;
  images: ImageStore;
  renditions: Pick<Renditions, 'makeNow'>;
  brand: { now(): Brand };
}

/** Anyone with the link may see the page, but search engines must not index it. It has no scripts. */
export function registerSharePages(server: FastifyInstance, deps: ShareDeps): void {
  server.get('/shared/:token', hidden, async (request, reply) => {
    guard(reply);
    const { token } = request.params as { token: string }; // as the path declares it
    const reader = readerOf(request, reply, deps.brand.now());
    reply.type('text/html; charset=utf-8');
    try {
      return reply.send(sharedPage(reader, await openShare(deps, token)));
    } catch (error) {
      // An AppError becomes a page, because people open these links in a browser.
      if (!(error instanceof AppError)) throw error;
      return reply
        .status(problems[error.code].status)
        .send(wordsPage(reader, reader.say('Nothing is shared here'), whyNothing(reader, error)));
    }
  });
  server.get('/shared/:token/:job_id', hidden, async (request, reply) => {
    guard(reply);
    const { token, job_id: file } = request.params as { token: string; job_id: string }; // as the path has them
    const shown = await openSharedImage(deps, token, file.split('.')[0] ?? '');
    const job = shown && fileOf(shown) === file ? shown : undefined;
    const { w } = request.query as { w?: string }; // a repeated parameter is not a width
    const width = w === undefined ? undefined : readWidth(String(w));
    const image = job?.image;
    if (!image) throw imageGone();
    const opening =
      width === undefined
        ? deps.images.get(image.key)
        : openRendition(deps, { jobId: job.id, key: image.key }, width);
    const stored = await openReadable(opening, clientGone(reply));
    return reply
      .type(width === undefined ? image.mediaType : renditionType)
      .header('content-length', stored.bytes)
      .send(stored.body);
  });
}

/** The headers forbid caching, so that a link that has ended shows nothing. */
export function guard(reply: FastifyReply, more = ''): void {
  reply
    .header('x-robots-tag', 'noindex, nofollow, noimageindex')
    .header('cache-control', 'private, no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      `default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; ${more}`,
    );
}

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  guard(reply, "form-action 'self'");
  return reply.type('text/html; charset=utf-8').send(page);
}

export function whyNothing(reader: Reader, problem: AppError): string {
  const { say } = reader;
  if (problem.code === 'not_found') return say('There is no such link or image.');
  if (problem.code === 'image_gone') return say('This link has expired. Ask its sender for a new one.');
  return sayProblem(reader, problem);
}

function sharedPage(reader: Reader, { share, jobs }: Shared): string {
  const { say } = reader;
  const title =
    jobs.length === 1 ? say('A shared image') : say('{count} shared images', { count: jobs.length });
  return sharePage(
    reader,
    title,
    html`<header><h1>${title}</h1></header>
<main>${jobs.map((job, index) => figure(reader, share, { job, index, of: jobs.length }))}</main>`,
  );
}

export function wordsPage(reader: Reader, title: string, text: string, more?: Html): string {
  return sharePage(reader, title, html`<main class="ended"><h1>${title}</h1><p>${text}</p>${more}</main>`);
}

export function sharePage(reader: Reader, title: string, body: Html, more?: Html): string {
  const { brand } = reader;
  const { text } = html`<html lang="${writtenIn(reader)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${titleUnder(brand, title)}</title>
${brandIcon(brand)}
<style>
body { margin: 0; padding: 2rem; font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#1c1b19, #eeece7); background: light-dark(#f6f4ef, #161513); }
main { display: grid; gap: 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); max-width: 90rem; margin: auto; }
main.ended { display: block; max-width: 30rem; padding-top: 25vh; text-align: center; }
figure { margin: 0; }
img { width: min(100%, calc(var(--width) * 1px), calc((100dvh - 11rem) * var(--width) / var(--height))); height: auto; display: block; }
figcaption { margin-top: 0.5rem; }
figcaption p { margin: 0 0 0.25rem; white-space: pre-wrap; overflow-wrap: anywhere; }
figcaption .origin { display: flex; align-items: center; gap: 0.375rem; font-size: 0.875rem; }
figcaption a { margin-inline-end: 1rem; font-size: 0.875rem; color: inherit; }
h1 { font-size: 1rem; font-weight: 600; max-width: 90rem; margin: 0 auto 1.5rem; }
main.form { display: block; max-width: 34rem; }
.form label { display: block; margin-top: 1rem; font-weight: 600; }
.form img { width: auto; max-width: 100%; height: 8rem; object-fit: contain; object-position: left; }
.form textarea, .form input { box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; color: inherit; background: transparent; border: 1px solid currentColor; border-radius: 0.5rem; }
.form input[type=file] { margin-top: 0.5rem; padding: 3rem 1rem; border: 2px dashed; }
.form button { width: 100%; min-height: 2.75rem; margin-top: 1.5rem; font: inherit; font-weight: 600; border: 0; border-radius: 0.5rem; color: light-dark(#f6f4ef, #161513); background: light-dark(#1c1b19, #eeece7); }
.form a, .ended a { color: inherit; }
.form [role] { padding: 0.75rem 1rem; border-inline-start: 0.25rem solid; background: light-dark(#e9e5dc, #24221f); }
.form section p { margin: 0.25rem 0; }
.form h1 { font-size: 1.25rem; margin-bottom: 0.5rem; }
.ended h1 { font-size: 1.25rem; margin-bottom: 0.5rem; }
</style>
${more}
${brandSheet(brand)}</head>
<body>
${brandHead(brand)}${body}
${brandFoot(reader)}</body>
</html>
`;
  return `<!doctype html>\n${text}`;
}

/** The markup states the width and height, so that the page's layout is known before the image loads. */
function figure(
  { say }: Reader,
  { token, withPrompts }: Share,
  { job, ...place }: { job: Job; index: number; of: number },
) {
  const { prompt, image } = job;
  const { width = 0, height = 0 } = image ?? {};
  const link = `/shared/${token}/${fileOf(job)}`;
  const [smallest, ...larger] = renditionWidths;
  const own = [smallest, ...larger.filter((_, before) => (renditionWidths[before] ?? 0) < width)];
  const sources = own.map((one) => `${link}?w=${one} ${Math.min(one, width)}w`);
  const alt = withPrompts ? prompt : say('Image {count}', { count: place.index + 1 });
  const sizes = `(max-width: 54rem) calc(100vw - 4rem), ${Math.floor(90 / Math.min(place.of, mostColumns))}rem`;
  return html`<figure><a href="${link}"><img src="${link}?w=768" srcset="${sources.join(', ')}" sizes="${sizes}" width="${width}" height="${height}" style="--width: ${width}; --height: ${height}" alt="${alt}" loading="lazy"></a><figcaption>${withPrompts && html`<p>${prompt}</p>`}<p class="origin">${sparkle}${say('Made with AI')}</p><a href="${link}" download="${fileOf(job)}">${say('Download, {width} × {height} pixels', { width, height })}</a><a href="/shared/${token}/report/${job.id}" rel="nofollow">${say('Report')}</a></figcaption></figure>`;
}

export function fileOf({ id, image }: Job): string {
  return `${id}.${extensions[image?.mediaType ?? 'image/png']}`;
}

/** The usual icon for generated images. It stands beside a text that says the same. */
const sparkle = html`<svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true"><path d="M7 2c.6 3.4 1.6 4.4 5 5-3.4.6-4.4 1.6-5 5-.6-3.4-1.6-4.4-5-5 3.4-.6 4.4-1.6 5-5Zm6 8c.3 1.6.8 2.1 2.4 2.4-1.6.3-2.1.8-2.4 2.4-.3-1.6-.8-2.1-2.4-2.4 1.6-.3 2.1-.8 2.4-2.4Z"/></svg>`;

/** The number of columns of 24rem that fit into 90rem. */
const mostColumns = 3;
