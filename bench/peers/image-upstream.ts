import { createServer } from 'node:http';
import sharp from 'sharp';

// Two upstreams with OpenAI's protocol, in a separate process. They answer immediately, one with small images, the
// other with large ones.
process.send?.({
  small: await listen(await draw(64)),
  large: await listen(await draw(1024)),
});

async function listen(image: Buffer): Promise<string> {
  const body = Buffer.from(JSON.stringify({ created: 1, data: [{ b64_json: image.toString('base64') }] }));
  const server = createServer((incoming, answer) => {
    incoming.resume().on('end', () => {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    });
  });
  // Keeps connections open while clients rest between rounds.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
}

function draw(side: number): Promise<Buffer> {
  const rgb = Buffer.alloc(side * side * 3);
  let seed = 1;
  for (let at = 0; at < rgb.length; at += 3) {
    const [x, y] = [(at / 3) % side, Math.floor(at / 3 / side)];
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const noise = (seed >> 16) % 4 === 0 ? (seed >> 20) % 36 : 0;
    const light = 110 + 60 * Math.sin(x / 90) + 30 * Math.cos(y / 70) + noise;
    rgb[at] = light;
    rgb[at + 1] = light * 0.9;
    rgb[at + 2] = light * 0.8;
  }
  return sharp(rgb, { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 6 })
    .toBuffer();
}
