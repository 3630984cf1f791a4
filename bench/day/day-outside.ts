import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';

export interface Outside extends AsyncDisposable {
  hook: string;
  readonly delivered: number;
  /** Returns the URLs of two images that have not been fetched yet. */
  images(): string[];
}

export async function startOutside(): Promise<Outside> {
  const photo = await draw();
  let delivered = 0;
  const server = createServer((request, reply) => {
    request.resume().on('end', () => {
      if (request.method === 'POST') delivered += 1;
      reply.end(request.method === 'POST' ? undefined : photo);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const origin = `http://127.0.0.1:${port}`;
  let asked = 0;
  return {
    hook: `${origin}/hook`,
    get delivered() {
      return delivered;
    },
    images() {
      asked += 2;
      return [asked - 1, asked].map((number) => `${origin}/${number}.jpg`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function draw(): Promise<Buffer> {
  return sharp(randomBytes(400 * 300 * 3), { raw: { width: 400, height: 300, channels: 3 } })
    .resize(1600, 1200)
    .jpeg({ quality: 85 })
    .toBuffer();
}
