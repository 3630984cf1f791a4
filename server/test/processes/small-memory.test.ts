import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { selfSigned } from '../images/support/signing.ts';
import { startStranger, strangerNetwork } from '../inputs/support/strangers.ts';
import { clientOf, finished } from './support/client.ts';
import { openInstallation } from './support/installation.ts';
import { openMemoryGroup } from './support/memory-group.ts';
import { startServerProcess } from './support/server-process.ts';

const megabyte = 1024 * 1024;
/** The share of the memory that the server may take, so that its children have some too. */
const share = 0.8;
const side = 4096;

const jobs = 16;

for (const { megabytes, isSigned } of [
  { megabytes: 512, isSigned: false },
  // The library that signs occupies 300 MB after such a file.
  { megabytes: 2048, isSigned: true },
])
  test(`a server with ${megabytes} MB makes ${jobs} 4K photographs that are requested at once, some from inputs${
    isSigned ? ', signs them' : ''
  }, and is not killed`, async (t) => {
    await using stack = new AsyncDisposableStack();
    const group = await openMemoryGroup(megabytes * megabyte);
    if (typeof group === 'string') return t.skip(group);
    stack.use(group);
    // A file on a memory disk would count as memory of the group that writes it.
    const folder = await mkdtemp('/var/tmp/darkroom-small-memory-');
    stack.defer(() => rm(folder, { recursive: true }));
    const photos = await draw();
    const upstream = stack.use(await startUpstream(photos));
    const stranger = stack.use(await startStranger((_request, response) => void response.end(photos.input)));
    const place = stack.use(await openInstallation(undefined, {}, folder));
    const config = join(folder, 'config.json');
    const route = { provider: 'openai', model: 'local', sizes: 'exact', slots: jobs };
    await writeFile(
      config,
      JSON.stringify({ routes: { nb2: [route] }, ...(isSigned && (await signingIn(folder))) }),
    );
    const settings = {
      DARKROOM_CONFIG: config,
      DARKROOM_ALLOW_NETWORKS: strangerNetwork,
      DARKROOM_LOG_LEVEL: 'silent',
      OPENAI_BASE_URL: upstream.url,
    };
    const server = stack.use(await startServerProcess({ ...place.env, ...settings }, 'all', [], group));
    const client = clientOf(server, (await place.account(10_000_000n)).key);

    const create = async (_: unknown, index: number) => {
      const mode = index % 4 === 0 ? 'url' : 'text';
      const urls = ['one', 'two'].map((name) => `${stranger.origin}/${index}-${name}.jpg`);
      const inputs = mode === 'url' && { input_images_urls: urls };
      const body = { prompt: 'a lighthouse', aspect_ratio: '1:1', resolution: '4K', ...inputs };
      const reply = await client('POST', `/nb2/${mode}-generations`, { body });
      assert.equal(reply.status, 202, JSON.stringify(reply.body));
      return String(reply.body.job_id);
    };
    const ids = await Promise.all(Array.from({ length: jobs }, create));
    const ended = await Promise.all(ids.map((id) => finished(client, id)));
    t.diagnostic(`${Math.round(group.mostBytes() / 1e6)} MB at most, with files that are kept in memory`);
    assert.deepEqual(
      ended.map(({ status, error }) => error ?? status),
      ids.map(() => 'done'),
    );
    assert.equal(group.kills(), 0, 'nor was a child');
    const resident =
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;
    t.diagnostic(`the server itself ${Math.round(resident)} MB`);
    assert.ok(resident < share * megabytes, `the server had ${resident} MB`);
    const { image_url: url } = (await client('GET', `/jobs/${ids[0]}`)).body.result as { image_url: string };
    assert.equal(Buffer.from(await (await fetch(url)).arrayBuffer()).includes('jumdc2pa'), isSigned);
  });

async function signingIn(folder: string) {
  const { certificates, key } = selfSigned();
  const files = { certificateFile: join(folder, 'certificate.pem'), keyFile: join(folder, 'key.pem') };
  await writeFile(files.certificateFile, certificates);
  await writeFile(files.keyFile, key, { mode: 0o600 });
  return { marking: { signing: files } };
}

async function draw() {
  const grain = sharp(randomBytes(512 * 512 * 3), { raw: { width: 512, height: 512, channels: 3 } });
  const raw = await grain.resize(side, side, { kernel: 'cubic' }).raw().toBuffer();
  const open = () => sharp(raw, { raw: { width: side, height: side, channels: 3 } });
  const [fits, isConverted, input] = await Promise.all([
    open().png({ compressionLevel: 1 }).toBuffer(),
    open().jpeg({ quality: 90 }).toBuffer(),
    open().resize(4000, 3000).jpeg({ quality: 90 }).toBuffer(),
  ]);
  return { fits, isConverted, input };
}

/** Speaks OpenAI's protocol and answers at once: with a PNG, and sometimes a JPEG, whose conversion takes seconds. */
async function startUpstream(photos: Record<'fits' | 'isConverted', Buffer>) {
  const answerOf = (photo: Buffer) => JSON.stringify({ data: [{ b64_json: photo.toString('base64') }] });
  const [png, jpeg] = [photos.fits, photos.isConverted].map((photo) => Buffer.from(answerOf(photo)));
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      asked += 1;
      const answer = asked % 8 === 0 ? jpeg : png;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer?.length });
      response.end(answer);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
