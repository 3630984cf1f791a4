import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { readStored } from '../../images/read-stored.ts';
import { openShare, type Shared } from '../../jobs/shares/share-images.ts';
import type { Clock } from '../../std/clock.ts';
import { html } from '../reference/html.ts';

export interface ShareDeps {
  database: Database;
  clock: Clock;
  images: ImageStore;
}

/** `GET /shared/{token}`: a page without scripts, and its pictures. They are for whoever has the link, and for no search engine. */
export function registerSharePages(server: FastifyInstance, deps: ShareDeps): void {
  server.get('/shared/:token', { schema: { hide: true } as object }, async (request, reply) => {
    guard(reply);
    const { token } = request.params as { token: string }; // as the path has it
    return reply.type('text/html; charset=utf-8').send(sharePage(await openShare(deps, token)));
  });
  server.get('/shared/:token/:job_id', { schema: { hide: true } as object }, async (request, reply) => {
    guard(reply);
    const { token, job_id: jobId } = request.params as { token: string; job_id: string }; // as the path has them
    const { jobs } = await openShare(deps, token);
    const image = jobs.find(({ id }) => `${id}.png` === jobId)?.image;
    const stored = image && (await deps.images.get(image.key));
    if (!image || !stored) throw new AppError('image_gone', 'This image is gone.');
    return reply
      .type('image/png')
      .header('content-length', stored.bytes)
      .send(Readable.from(readStored(image.key, stored.body)));
  });
}

/** Nothing is kept, so that a link that has ended shows nothing from then on. */
function guard(reply: FastifyReply): void {
  reply
    .header('x-robots-tag', 'noindex, nofollow, noimageindex')
    .header('cache-control', 'private, no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    );
}

function sharePage({ share, jobs }: Shared): string {
  const { text } = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${jobs.length === 1 ? 'A shared picture' : `${jobs.length} shared pictures`}</title>
<style>
body { margin: 0; padding: 2rem; font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#1c1b19, #eeece7); background: light-dark(#f6f4ef, #161513); }
main { display: grid; gap: 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); max-width: 90rem; margin: auto; }
figure { margin: 0; }
img { width: 100%; height: auto; display: block; }
figcaption { margin-top: 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
h1 { font-size: 1rem; font-weight: 600; max-width: 90rem; margin: 0 auto 1.5rem; }
</style>
</head>
<body>
<h1>${jobs.length === 1 ? 'A shared picture' : `${jobs.length} shared pictures`}</h1>
<main>${jobs.map(
    ({ id, prompt, image }, index) =>
      html`<figure><a href="/shared/${share.token}/${id}.png"><img src="/shared/${share.token}/${id}.png" width="${image?.width}" height="${image?.height}" alt="${share.withPrompts ? prompt : `Picture ${index + 1}`}" loading="lazy"></a>${share.withPrompts && html`<figcaption>${prompt}</figcaption>`}</figure>`,
  )}</main>
</body>
</html>
`;
  return `<!doctype html>\n${text}`;
}
