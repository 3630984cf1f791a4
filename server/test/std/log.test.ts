import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const file = new URL('../../src/base/std/log.ts', import.meta.url);
// Logs what it reads, and ends when its input does.
const program = `
  import { createInterface } from 'node:readline';
  const { createLog } = await import(${JSON.stringify(file)});
  const log = createLog({ level: 'info', format: 'json' });
  for await (const event of createInterface({ input: process.stdin })) log.info(event);`;

test('each line arrives while the process lives, and the last ones when it ends', async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (JSON.parse(String((await lines.next()).value)) as { event: string }).event;
  const long = 'x'.repeat(3_000);
  // The second and the third are longer than the buffer together, and the rest of them is shorter.
  for (const events of [['first'], [long, long, 'last'], ['again']]) {
    for (const event of events) child.stdin.write(`${event}\n`);
    for (const event of events) assert.equal(await next(), event);
  }
  child.stdin.end('at the end\n');
  assert.equal(await next(), 'at the end');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});
