import { Agent, createServer, request } from 'node:http';
import sharp from 'sharp';

// The ends of the bench of pictures, each in a process of its own: an upstream that answers at once, and a proxy that passes bytes on.
const [part, to = ''] = process.argv.slice(2);
const server = part === 'upstream' ? await upstream() : proxy();
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.send?.(`http://127.0.0.1:${address.port}`);
});

async function upstream() {
  const body = Buffer.from(
    JSON.stringify({ created: 1, data: [{ b64_json: (await draw()).toString('base64') }] }),
  );
  return createServer((incoming, answer) => {
    incoming.resume().on('end', () => {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    });
  });
}

/** A PNG of 1024 × 1024 pixels and about 1 MB. */
async function draw(): Promise<Buffer> {
  const side = 1024;
  const rgb = Buffer.alloc(side * side * 3);
  let seed = 1;
  for (let at = 0; at < rgb.length; at += 3) {
    const [x, y] = [(at / 3) % side, Math.floor(at / 3 / side)];
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const grain = (seed >> 16) % 5 === 0 ? (seed >> 20) % 64 : 0;
    const light = 128 + 80 * Math.sin(x / 90) + 40 * Math.cos(y / 70) + grain;
    rgb[at] = light;
    rgb[at + 1] = light * 0.9;
    rgb[at + 2] = light * 0.8;
  }
  return sharp(rgb, { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 6 })
    .toBuffer();
}

function proxy() {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  return createServer((incoming, answer) => {
    const { method, url, headers } = incoming;
    const onward = request(to + url, { method, agent, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    incoming.pipe(onward);
  });
}
