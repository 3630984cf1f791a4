import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import sharp from 'sharp';
import { processorWaitMs } from '../../src/base/std/lateness/processor-wait.ts';
import { InputErrors } from '../../src/images/inputs/input-errors.ts';
import { makeHostileFiles, polyglotTail } from './support/hostile-files.ts';
import { makeInputWorld } from './support/input-world.ts';
import { startStranger } from './support/strangers.ts';

test('a hundred hostile files are each refused or safely decoded, quickly and in flat memory', async (t) => {
  const files = await makeHostileFiles();
  assert(files.length >= 100, `only ${files.length} files`);
  await using stranger = await startStranger((request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(files[Number(request.url?.slice(1))]?.bytes);
  });
  await using world = await makeInputWorld();
  const before = process.memoryUsage().rss;
  let grew = 0;
  let slowest = { name: '', ms: 0 };
  const wrong: string[] = [];
  const waitedMs = () => world.decoder.pids().reduce((sum, pid) => sum + processorWaitMs(pid), 0);

  for (const [index, file] of files.entries()) {
    const [started, waited] = [performance.now(), waitedMs()];
    const outcome = await world.ingest([`${stranger.origin}/${index}`]).then(
      async (set) => {
        await using _ = set;
        const bytes = await readFile(set.files[0]?.path ?? '');
        await assertClean(bytes, file.name);
        return 'decoded';
      },
      (error: unknown) => {
        assert(error instanceof InputErrors, `${file.name}: ${error}`);
        assert.match(error.errors[0]?.code ?? '', /^input_(not_an_image|too_large)$/, file.name);
        return 'refused';
      },
    );
    // Time in which other processes use the processors does not count.
    const ms = performance.now() - started - Math.max(0, waitedMs() - waited);
    if (ms > slowest.ms) slowest = { name: file.name, ms };
    grew = Math.max(grew, process.memoryUsage().rss - before);
    if (file.expect !== 'either' && file.expect !== outcome) wrong.push(`${file.name}: ${outcome}`);
    if (ms > 500) t.diagnostic(`${file.name}: ${outcome} in ${Math.round(ms)} ms`);
  }
  t.diagnostic(
    `${files.length} files, slowest ${Math.round(slowest.ms)} ms (${slowest.name}), memory +${Math.round(grew / 1e6)} MB`,
  );
  assert.deepEqual(wrong, []);
  assert(slowest.ms < 5_000, `${slowest.name} took ${slowest.ms} ms`);
  assert(grew < 150e6, `memory grew by ${grew} bytes`);
});

async function assertClean(bytes: Buffer, name: string): Promise<void> {
  const { exif, icc, xmp, iptc, comments, orientation, format } = await sharp(bytes).metadata();
  assert.deepEqual({ exif, icc, xmp, iptc, comments, orientation }, nothing, name);
  assert.match(format, /^(jpeg|png|webp)$/, name);
  assert.equal(bytes.indexOf(polyglotTail.slice(0, 20)), -1, `${name}: the tail is still there`);
}

const nothing = {
  exif: undefined,
  icc: undefined,
  xmp: undefined,
  iptc: undefined,
  comments: undefined,
  orientation: undefined,
};
