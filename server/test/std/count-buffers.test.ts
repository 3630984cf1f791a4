import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const source = new URL('../../src/base/std/memory/count-buffers.ts', import.meta.url);

function program(first: string): string {
  return `
    import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { setImmediate as turn } from 'node:timers/promises';
    import { countBuffersAsMemory } from '${source}';
    ${first}
    const live = Array.from({ length: 300_000 }, (_, nth) => ({ name: 'x' + nth }));
    let looks = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) looks += 1;
    });
    observer.observe({ entryTypes: ['gc'] });
    // So many that a collection more or less hardly counts.
    for (let nth = 0; nth < 4_000; nth++) {
      Buffer.allocUnsafeSlow(1_048_576);
      await turn();
    }
    console.log(looks, live.length);`;
}

async function looksOf(first: string): Promise<number> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program(first)]);
  return Number.parseInt(stdout, 10);
}

test('allocating and freeing buffers makes the collector scan the heap a quarter as often', async () => {
  const [usual, counted] = await Promise.all([looksOf(''), looksOf('countBuffersAsMemory();')]);
  assert.ok(usual >= 20, `${usual} times`);
  assert.ok(counted <= usual / 4, `${counted} times, and ${usual} without`);
});
