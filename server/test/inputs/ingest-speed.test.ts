import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import sharp from 'sharp';
import { fetchLimits } from '../../src/images/inputs/limits.ts';
import { makeInputWorld } from './support/input-world.ts';
import { type Stranger, startStranger } from './support/strangers.ts';

const inputCount = 14;
const hasCurl = spawnSync('curl', ['--version']).status === 0;

test('40 MB in 14 inputs take at most twice as long as curl over a 50 Mbit/s line, and little memory', {
  skip: !hasCurl && 'curl is not installed',
}, async (t) => {
  const photo = await makePhoto();
  await using world = await makeInputWorld();
  const measure = async (name: string, bytesPerSecond: number) => {
    await using line = await startLine(photo, bytesPerSecond);
    const urls = Array.from({ length: inputCount }, (_, index) => `${line.origin}/${index}.jpg`);
    const curl = await timed(() => runCurl(urls));
    const ingested = await timed(() => world.ingest(urls));
    t.diagnostic(
      `${name}: curl ${curl.ms} ms, ingested ${ingested.ms} ms (${(ingested.ms / curl.ms).toFixed(2)}×), memory +${ingested.grewMb} MB`,
    );
    assert(ingested.grewMb < 100, `memory grew by ${ingested.grewMb} MB`);
    return { curlMs: curl.ms, ingestedMs: ingested.ms };
  };
  // The maximum number of tries, because other processes use the processors too: one success proves that it
  // can be done.
  const turns = 3;
  for (let turn = 1; ; turn += 1) {
    const { curlMs, ingestedMs } = await measure('50 Mbit/s', 6_250_000);
    // With an unlimited line, only the work remains: decoding 168 megapixels.
    const { ingestedMs: workMs } = await measure('loopback', Number.POSITIVE_INFINITY);
    // If other processes leave so little that the work alone takes longer, it must nevertheless overlap with the
    // fetching.
    if (ingestedMs <= Math.max(2 * curlMs, curlMs + workMs)) break;
    assert(turn < turns, `${ingestedMs} ms, of which ${workMs} ms are work`);
  }
});

interface Timing {
  ms: number;
  grewMb: number;
}

async function timed(run: () => Promise<AsyncDisposable | undefined>): Promise<Timing> {
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 10);
  const started = performance.now();
  const set = await run();
  const ms = Math.round(performance.now() - started);
  clearInterval(watch);
  await set?.[Symbol.asyncDispose]();
  return { ms, grewMb: Math.round((most - before) / 1e6) };
}

async function runCurl(urls: string[]): Promise<undefined> {
  const outputs = urls.flatMap((url) => ['-o', '/dev/null', url]);
  const curl = spawn('curl', [
    '--silent',
    '--fail',
    '--parallel',
    '--parallel-max',
    String(inputCount),
    ...outputs,
  ]);
  const [code] = await once(curl, 'exit');
  assert.equal(code, 0);
}

/** Twelve megapixels with some grain, padded so that fourteen are exactly a request's limit. */
async function makePhoto(): Promise<Buffer> {
  const grain = await sharp(randomBytes(1000 * 750 * 3), { raw: { width: 1000, height: 750, channels: 3 } })
    .resize(4000, 3000)
    .jpeg({ quality: 60 })
    .toBuffer();
  const bytes = Math.floor(fetchLimits.totalBytes / inputCount);
  assert(grain.length < bytes, `${grain.length} bytes`);
  return Buffer.concat([grain, Buffer.alloc(bytes - grain.length)]);
}

async function startLine(file: Buffer, bytesPerSecond: number): Promise<Stranger> {
  if (bytesPerSecond === Number.POSITIVE_INFINITY) {
    return startStranger(
      (_request, response) => void response.writeHead(200, { 'content-length': file.length }).end(file),
    );
  }
  const sending = new Map<ServerResponse, number>();
  let sentUntil = performance.now();
  const timer = setInterval(() => {
    // Sends as much as the passed time allows: a late tick on busy processors must not make the line slower.
    const now = performance.now();
    const share = Math.ceil((bytesPerSecond * (now - sentUntil)) / 1000 / sending.size);
    sentUntil = now;
    for (const [response, sent] of sending) {
      response.write(file.subarray(sent, sent + share));
      if (sent + share < file.length) sending.set(response, sent + share);
      else {
        sending.delete(response);
        response.end();
      }
    }
  }, 10);
  const stranger = await startStranger((_request, response) => {
    sending.set(response, 0);
    response.writeHead(200, { 'content-length': file.length });
  });
  stranger.server.once('close', () => clearInterval(timer));
  return stranger;
}
