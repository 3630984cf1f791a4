import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { createMeter } from '../../server/src/base/metrics/meter.ts';
import { systemClock } from '../../server/src/base/std/clock.ts';
import { markPng } from '../../server/src/images/marks/mark-png.ts';
import { xmpOf } from '../../server/src/images/marks/origin-mark.ts';
import { openSigner, type Signer } from '../../server/src/images/signing/open-signer.ts';
import { selfSigned } from '../../server/test/images/support/signing.ts';
import { silentLog } from '../../server/test/world/silent-log.ts';

const times = { marking: 2_000, signing: 100 };
const mostMs = { marking: 1, signing: 25 };
const mark = { sourceType: 'trainedAlgorithmicMedia', jobId: crypto.randomUUID(), madeAtMs: 0 } as const;
const claim = { sourceType: mark.sourceType, model: 'nb2', atMs: Date.now() } as const;

export async function timeMarking(say: (line: string) => void): Promise<boolean> {
  const files = await filesOfOneMegabyte();
  say('| 1 MB | ms of a processor | of these on the loop | at most |\n|---|---|---|---|');
  const time = async (what: string, most: number, work: () => Promise<unknown>, count = times.signing) => {
    const { all, loop } = await cpuOf(work, count);
    say(`| ${what} | ${all.toFixed(2)} | ${loop.toFixed(2)} | ${Number.isFinite(most) ? most : ''} |`);
    return all <= most;
  };
  // Times the marking before the signing library is loaded, because loading starts threads that compile for a while.
  const markOne = async () => markPng(files.png, xmpOf(mark, marking));
  const marks = await time('XMP, PNG', mostMs.marking, markOne, times.marking);
  await using signer = openSigner(selfSigned(), { clock: systemClock, log: silentLog, meter: createMeter() });
  const upstream = await sign(signer, files.png, null);
  const signs = [
    await time('signing, PNG', mostMs.signing, () => sign(signer, files.png, null)),
    await time('signing, JPEG', mostMs.signing, () => sign(signer, files.jpeg, null)),
    await time('signing, WebP', mostMs.signing, () => sign(signer, files.webp, null)),
  ];
  await time('signing, PNG, with an upstream that signed', Infinity, () => sign(signer, files.png, upstream));
  return marks && signs.every(Boolean);
}

const marking = { keepSigned: false, aigcProducer: null };

/** The mean processor time for one image, measured after warm-up images. */
async function cpuOf(work: () => Promise<unknown>, times: number): Promise<{ all: number; loop: number }> {
  for (let count = 0; count < times / 5; count += 1) await work();
  const [before, loopBefore] = [process.cpuUsage(), process.threadCpuUsage()];
  for (let count = 0; count < times; count += 1) await work();
  const msOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000 / times;
  return { all: msOf(process.cpuUsage(before)), loop: msOf(process.threadCpuUsage(loopBefore)) };
}

async function sign(signer: Signer, file: Uint8Array, upstream: Uint8Array | null): Promise<Uint8Array> {
  const signed = await signer.signResult(file, claim, upstream);
  if (!signed) throw new Error('it was not signed');
  return signed.bytes;
}

/** Makes the files from noise, which does not compress. */
async function filesOfOneMegabyte(): Promise<Record<'png' | 'jpeg' | 'webp', Buffer>> {
  const noise = async (side: number) =>
    sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });
  const files = {
    png: await (await noise(577)).png().toBuffer(),
    jpeg: await (await noise(1_255)).jpeg().toBuffer(),
    webp: await (await noise(1_230)).webp({ effort: 1 }).toBuffer(),
  };
  for (const [format, { length }] of Object.entries(files))
    if (length < 900_000 || length > 1_200_000) throw new Error(`a ${format} of ${length} bytes`);
  return files;
}
