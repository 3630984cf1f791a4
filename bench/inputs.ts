import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { fetchLimits, maxInputs } from '../server/src/images/inputs/limits.ts';
import { startTarget, startTargetOf, type Target } from './load.ts';

const inputBytes = Math.floor(fetchLimits.totalBytes / maxInputs);
const lookMs = 5;
const photographs = [
  { what: '7 megapixels, as wanted', width: 3_000, height: 2_250, quality: 83 },
  { what: '12 megapixels, to be scaled', width: 4_000, height: 3_000, quality: 60 },
];

interface Taken {
  ms: number;
  moreMb: number;
}

/**
 * Times creates whose inputs have the maximum number of bytes, in this version and in the version in the folder that
 * `BENCH_BEFORE` names. Compares the times with curl's time to download the same bytes.
 */
export async function measureInputs(say: (line: string) => void, rounds: number): Promise<void> {
  const before = process.env.BENCH_BEFORE;
  await using ours = await startTarget('--role', 'all');
  await using older = before ? await startTargetOf(join(before, 'bench'), '--role', 'all') : undefined;
  say(`### ${maxInputs} inputs of 40 MB together, from a server on this machine\n`);
  say('| photographs | | ms | compared with curl | MB more |\n|---|---|---|---|---|');
  for (const { what, ...photo } of photographs) {
    await using server = await serve(await draw(photo));
    const ways: [string, () => Promise<Taken>][] = [
      ['curl', () => byCurl(server.urls)],
      ...(older
        ? [['Darkroom before', () => byCreate(older, server.urls)] as [string, () => Promise<Taken>]]
        : []),
      ['Darkroom', () => byCreate(ours, server.urls)],
    ];
    const taken = ways.map((): Taken[] => []);
    for (let round = 0; round <= rounds; round += 1)
      for (const [nth, [, take]] of ways.entries()) {
        const one = await take();
        // The first round warms up.
        if (round > 0) taken[nth]?.push(one);
      }
    const curlMs = median(taken[0], 'ms');
    for (const [nth, [name]] of ways.entries()) {
      const ms = median(taken[nth], 'ms');
      say(
        `| ${what} | ${name} | ${ms.toFixed(0)} | ${(ms / curlMs).toFixed(1)} × | ${median(taken[nth], 'moreMb').toFixed(0)} |`,
      );
    }
  }
  say('');
}

async function byCurl(urls: readonly string[]): Promise<Taken> {
  const outputs = urls.flatMap((url) => ['-o', '/dev/null', url]);
  const began = performance.now();
  const curl = spawn('curl', [
    '--silent',
    '--fail',
    '--parallel',
    '--parallel-max',
    String(maxInputs),
    ...outputs,
  ]);
  const [code] = await once(curl, 'exit');
  if (code !== 0) throw new Error(`curl ended with ${code}`);
  return { ms: performance.now() - began, moreMb: 0 };
}

/** Times a create. It is answered once all inputs are stored. */
async function byCreate({ url, key, pid }: Target, urls: readonly string[]): Promise<Taken> {
  const before = await residentMb(pid);
  let most = before;
  const look = setInterval(async () => {
    most = Math.max(most, await residentMb(pid));
  }, lookMs);
  const began = performance.now();
  const answer = await fetch(`${url}/api/v1/nb2/url-generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a lighthouse at dusk', aspect_ratio: '1:1', input_images_urls: urls }),
  });
  const ms = performance.now() - began;
  clearInterval(look);
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return { ms, moreMb: most - before };
}

async function residentMb(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_000;
}

/**
 * Draws a grainy photograph and pads it, so that a request with the maximum number of inputs reaches the byte limit.
 */
async function draw({ width, height, quality }: Omit<(typeof photographs)[number], 'what'>): Promise<Buffer> {
  const grain = sharp(randomBytes(1_000 * 750 * 3), { raw: { width: 1_000, height: 750, channels: 3 } });
  const photo = await grain.resize(width, height).jpeg({ quality }).toBuffer();
  if (photo.length > inputBytes) throw new Error(`the photograph has ${photo.length} bytes`);
  return Buffer.concat([photo, Buffer.alloc(inputBytes - photo.length)]);
}

async function serve(photo: Buffer): Promise<AsyncDisposable & { urls: string[] }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': photo.length }).end(photo);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    urls: Array.from({ length: maxInputs }, (_, nth) => `http://127.0.0.1:${port}/${nth}.jpg`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function median(taken: readonly Taken[] = [], key: keyof Taken): number {
  return taken.map((one) => one[key]).sort((a, b) => a - b)[taken.length >> 1] ?? 0;
}
