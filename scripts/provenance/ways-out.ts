import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ImageStore } from '../../server/src/images/image-store.ts';
import { extensions, type StoredMediaType } from '../../server/src/images/media-types.ts';
import { outputFormats } from '../../server/src/images/output.ts';
import { renditionWidths } from '../../server/src/images/renditions.ts';
import type { World } from '../../server/test/world/world.ts';
import { fetchPatiently } from './fetch-patiently.ts';
import { pick } from './sources.ts';

export type Left = [way: string, file: Buffer][];

/**
 * Makes images whose prompt is the index of their source, and downloads them in every way. Three consecutive indexes
 * together cover every format in each way.
 */
export async function takeEveryWay(world: World, bucket: ImageStore, index: number): Promise<Left> {
  const [own, inJson, linked] = [0, 1, 2].map((more) => pick(outputFormats, index + more));
  const asked = { model: 'nb2', prompt: String(index) };
  const generate = (more: object) => post(world, '/v1/images/generations', { ...asked, ...more });
  const [jobs, base64, link, gemini, mcp] = await Promise.all([
    takeJob(world, bucket, { prompt: asked.prompt, output_format: own }),
    generate({ output_format: inJson, response_format: 'b64_json' }),
    generate({ output_format: linked, response_format: 'url' }),
    post(world, '/v1beta/models/nb2:generateContent', { contents: [{ parts: [{ text: asked.prompt }] }] }),
    post(world, '/mcp', {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'generate_image', arguments: asked },
    }),
  ]);
  return [
    ...jobs,
    ['OpenAI, base64', decode(find(base64, /"b64_json":\s*"([^"]+)"/))],
    ['OpenAI, link', await download(JSON.parse(`"${find(link, /"url":\s*"([^"]+)"/)}"`))],
    ['Gemini', decode(find(gemini, /"data":\s*"([^"]+)"/))],
    [preview, decode(find(mcp, /"data":\s*"([^"]{100,})"/))],
  ];
}

/** Darkroom does not sign the preview that it makes for language models. */
export const preview = 'MCP, preview';

async function takeJob(world: World, bucket: ImageStore, body: object): Promise<Left> {
  const jobId = await world.create('/nb2/text-generations', body);
  const job = await world.finished(jobId);
  if (job.status !== 'done') throw new Error(`job ${body}: ${job.error}`);
  const { image_url, media_type } = job.result as { image_url: string; media_type: StoredMediaType };
  const left: Left = [['result', await download(image_url)]];
  for (const width of renditionWidths)
    left.push([`${width} pixels`, await download(`${image_url}&w=${width}`)]);
  const name = `${jobId}.${extensions[media_type]}`;
  left.push(['archive', await takeArchive(world, jobId)]);
  for (const format of outputFormats) {
    const asked = `${world.url}/api/v1/jobs/${jobId}/image?output_format=${format}`;
    left.push([`as ${format}`, await download(asked, world.key)]);
  }
  left.push([
    'own bucket',
    await takeCopy(bucket, `${String(job.finished_at).slice(0, 10).replaceAll('-', '/')}/${name}`),
  ]);
  return left;
}

async function takeArchive(world: World, jobId: string): Promise<Buffer> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-archive-'));
  const archive = join(folder.path, 'images.zip');
  await writeFile(archive, await download(`${world.url}/api/v1/jobs/images.zip?job_ids=${jobId}`, world.key));
  const read =
    'import sys, zipfile; a = zipfile.ZipFile(sys.argv[1]); open(sys.argv[2], "wb").write(a.read(a.namelist()[0]))';
  const image = join(folder.path, 'image');
  await promisify(execFile)('python3', ['-c', read, archive, image]);
  return readFile(image);
}

/** Waits until a background task has copied the image into the bucket. */
async function takeCopy(bucket: ImageStore, key: string): Promise<Buffer> {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await bucket.get(key);
    if (found) return buffer(found.body);
    await sleep(100);
  }
  throw new Error(`${key} is not in the bucket`);
}

async function post({ url, key }: World, path: string, body: object): Promise<string> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const answer = await fetchPatiently(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.text();
}

async function download(url: string, key?: string): Promise<Buffer> {
  const answer = await fetchPatiently(url, key ? { headers: { authorization: `Bearer ${key}` } } : {});
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
}

function find(answer: string, pattern: RegExp): string {
  const [, found] = pattern.exec(answer) ?? [];
  if (found === undefined) throw new Error(`no image: ${answer.slice(0, 300)}`);
  return found;
}

function decode(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
