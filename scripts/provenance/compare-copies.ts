import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { drawSketch } from '@darkroom/sketch';
import sharp from 'sharp';
import { TestProvider } from '../../server/test/world/provider.ts';
import { openWorld, testRoutes, type World } from '../../server/test/world/world.ts';
import { fetchPatiently } from './fetch-patiently.ts';
import { drawScene, randomOf, sceneKinds } from './scenes.ts';
import { pick } from './sources.ts';

interface Asked {
  results: number;
  strangers: number;
  /** A folder of photographs: results are cut from one half of them, strangers' images from the other. */
  photographs: string | undefined;
}

/**
 * The least share of edited copies that must be found, and the largest share of strangers' images that may be mistaken
 * for ours.
 */
const leastFound = 0.95;
const mostTaken = 1 / 10_000;
const mostCut = 0.02;
const jpegQuality = 70;
const askedAtOnce = 9;
const workers = 3;

const copies = {
  scaled: (image, random) => scale(image, random),
  'cut by 2 %': (image, random) => cut(image, random),
  'JPEG 70': async (image) => sharp(image).jpeg({ quality: jpegQuality }).toBuffer(),
  'all three': async (image, random) =>
    sharp(await cut(await scale(image, random), random))
      .jpeg({ quality: jpegQuality })
      .toBuffer(),
} satisfies Record<string, (image: Buffer, random: () => number) => Promise<Buffer>>;
type CopyName = keyof typeof copies;
const copyNames = Object.keys(copies) as CopyName[]; // exactly its keys

interface Tally extends Record<CopyName, number> {
  results: number;
  strangers: number;
  taken: number;
}

export async function compareCopies(
  say: (line: string) => void,
  { results, strangers, photographs }: Asked,
): Promise<boolean> {
  const draw = openDrawing(photographs);
  const provider = new TestProvider();
  provider.capabilities.exact = false;
  provider.handler = async ({ prompt, width }) => ({ bytes: await draw(prompt, width) });
  await using world = await openWorld({
    config: { publicVerify: true },
    replacements: { routes: testRoutes(provider) },
  });
  const ask = openAsking(world);
  const tallies = new Map<string, Tally>(
    draw.kinds.map((kind) => [kind, { ...zeros(copyNames), results: 0, strangers: 0, taken: 0 }]),
  );
  const tallyOf = (index: number) => tallies.get(pick(draw.kinds, index)) as Tally; // every kind has a tally
  const jobs: string[] = [];
  await inTurn(results, async (index) => {
    jobs[index] = await makeResult(world, `result ${index}`);
  });
  await inTurn(results, async (index) => {
    const tally = tallyOf(index);
    tally.results += 1;
    const job = await world.finished(jobs[index] ?? '');
    const image = await download((job.result as { image_url: string }).image_url);
    const random = randomOf(`copy ${index}`);
    for (const name of copyNames)
      if ((await ask(await copies[name](image, random))).job_id === jobs[index]) tally[name] += 1;
  });
  await inTurn(strangers, async (index) => {
    const tally = tallyOf(index);
    tally.strangers += 1;
    if ((await ask(await draw(`stranger ${index}`, 512))).made_here) tally.taken += 1;
  });
  return tell(say, tallies);
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>; // it has all names
}

function tell(say: (line: string) => void, tallies: Map<string, Tally>): boolean {
  const sum = (name: keyof Tally) => [...tallies.values()].reduce((all, tally) => all + tally[name], 0);
  say(`| | results | ${copyNames.join(' | ')} | strangers | taken for ours |`);
  say(`|---|---|${copyNames.map(() => '---|').join('')}---|---|`);
  const columns = ['results', ...copyNames, 'strangers', 'taken'] as const;
  for (const [kind, tally] of tallies) say(`| ${kind} | ${columns.map((name) => tally[name]).join(' | ')} |`);
  say(`| all | ${columns.map(sum).join(' | ')} |`);
  return sum('all three') >= leastFound * sum('results') && sum('taken') <= mostTaken * sum('strangers');
}

function openDrawing(photographs: string | undefined) {
  const files = photographs
    ? readdirSync(photographs)
        .sort()
        .map((name) => join(photographs, name))
    : [];
  const kinds = [...sceneKinds, 'sketch', ...(files.length > 1 ? ['photograph'] : [])];
  const draw = (name: string, side: number) => {
    const kind = pick(kinds, Number(name.split(' ')[1]));
    if (kind === 'photograph')
      return takeWindow(
        files.filter((_, at) => (at % 2 === 0) === name.startsWith('result')),
        randomOf(name),
        side,
      );
    return kind === 'sketch' ? sketch(name, side) : drawScene(name, side, kind);
  };
  return Object.assign(draw, { kinds });
}

const subjects = ['fox', 'lighthouse', 'castle', 'ship', 'robot', 'cat', 'tree', 'house', 'balloon', 'bird'];
const places = ['by the sea', 'in the mountains', 'in a city', 'in the desert', 'in a forest', 'at night'];

async function sketch(name: string, side: number): Promise<Buffer> {
  const random = randomOf(name);
  const of = (words: readonly string[]) => pick(words, Math.floor(random() * words.length));
  const prompt = `a ${of(subjects)} ${of(places)}, ${name}`;
  const request = { prompt, width: side, height: side, inputs: [] };
  return Buffer.from(await drawSketch(request, new AbortController().signal));
}

async function takeWindow(files: readonly string[], random: () => number, side: number): Promise<Buffer> {
  const file = pick(files, Math.floor(random() * files.length));
  const { width, height } = await sharp(file).metadata();
  const window = Math.round(Math.min(width, height) * (0.4 + random() * 0.6));
  const [left, top] = [width, height].map((most) => Math.floor(random() * (most - window + 1)));
  const frame = { left: left ?? 0, top: top ?? 0, width: window, height: window };
  return sharp(file).extract(frame).resize(side, side).removeAlpha().png({ compressionLevel: 1 }).toBuffer();
}

/** Creates a job and waits for its renditions, because Darkroom computes the imprint when it makes them. */
async function makeResult(world: World, prompt: string): Promise<string> {
  const jobId = await world.create('/nb2/text-generations', { prompt });
  const { result, error } = await world.finished(jobId);
  if (!result) throw new Error(String(error));
  await download((result as { thumbnail_url: string }).thumbnail_url);
  return jobId;
}

function openAsking(world: World) {
  let asked = 0;
  return async (image: Buffer): Promise<{ made_here: boolean; job_id?: string }> => {
    if (asked++ % askedAtOnce === 0) await world.jump(60_000);
    const headers = { 'content-type': 'image/png', authorization: `Bearer ${world.key}` };
    const answer = await fetchPatiently(`${world.url}/verify`, {
      method: 'POST',
      body: new Uint8Array(image),
      headers,
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { made_here: boolean; job_id?: string };
  };
}

async function scale(image: Buffer, random: () => number): Promise<Buffer> {
  const { width } = await sharp(image).metadata();
  return sharp(image)
    .resize({ width: Math.round(width * (0.25 + random() * 0.65)) })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** Cuts `mostCut` off the width and off the height, at one edge or shared between both. */
async function cut(image: Buffer, random: () => number): Promise<Buffer> {
  const { width, height } = await sharp(image).metadata();
  const frame = {
    left: Math.round(width * mostCut * random()),
    top: Math.round(height * mostCut * random()),
    width: Math.round(width * (1 - mostCut)),
    height: Math.round(height * (1 - mostCut)),
  };
  return sharp(image).extract(frame).png({ compressionLevel: 1 }).toBuffer();
}

async function inTurn(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const loop = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: workers }, loop));
}

async function download(url: string): Promise<Buffer> {
  const answer = await fetchPatiently(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
}
