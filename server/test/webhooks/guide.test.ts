import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attemptFailures } from '../../src/notify/webhooks/delivery.ts';

const guide = readFileSync(new URL('../../../docs/guides/webhooks.md', import.meta.url), 'utf8');

test('the guide names every word that an attempt can fail with', () => {
  for (const word of attemptFailures) assert(guide.includes(`\`${word}\``), word);
});

test('the guide’s receiver has fifteen lines at most', () => {
  const code = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  assert(code.trim().split('\n').length <= 15);
});
