import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const lookEveryMs = 50;
const withinMs = 30_000;

/** Asserts what the page shows once it is up to date. Just after a click or load, the page may show an old value. */
export async function settles<Value>(
  read: () => Promise<Value>,
  wanted: Value | RegExp,
  message?: string,
): Promise<void> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(lookEveryMs)) {
    const found = await read();
    if (wanted instanceof RegExp ? wanted.test(String(found)) : isDeepStrictEqual(found, wanted)) return;
  }
  const last = await read();
  if (wanted instanceof RegExp) assert.match(String(last), wanted, message);
  else assert.deepEqual(last, wanted, message);
}
