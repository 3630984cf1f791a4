import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { operate } from './operate.ts';

test('margins are a row for each day and model, or JSON', async () => {
  const { stdout, stderr } = await operate(['models', 'margins']);
  assert.match(stdout, /^2026-11-20 +flux +12 +0\.48 +0\.20 +0\.04 +0\.28 +3$/m);
  assert.match(
    stderr,
    /^flux is sold below its cost since yesterday: an image brings 0\.04 and costs 0\.05\.$/m,
  );
  const json = JSON.parse((await operate(['models', 'margins', '--json'])).stdout);
  assert.equal(json.data[0].margin, '0.28');
});

test('owed shows days, or a month', async () => {
  const days = await operate(['owed', '--from', '2026-11-20']);
  assert.deepEqual(days.calls[0], ['owed', { from: '2026-11-20' }]);
  assert.match(days.stdout, /^2026-11-20 +10\.00 +0\.00 +0\.00 +0\.00 +0\.00 +-0\.12 +9\.88$/m);
  assert.match(days.stderr, /Erased accounts had 0\.50 of what is owed/);
  const month = await operate(['owed', '2026-10']);
  assert.match(month.stderr, /^All accounts, 2026-10, USD$/m);
  assert.match(month.stdout, /^sold +1 +10\.00$/m);
  assert.match((await operate(['owed', '2026-10', '--csv'])).stdout, /^item,/);
  assert.match((await operate(['owed', '--csv'])).stdout, /^day,/);
  const statement = await operate(['account', 'statement', 'demo', '2026-10', '--csv']);
  assert.equal(statement.stdout, 'item,model,entries,amount\r\nopening_balance,,,0.00\n');
});

test('costs check says where a bill differs, names the attempts and exits 1', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-cli-costs-'));
  const file = join(place.path, 'bill.json');
  await writeFile(file, '{"results": []}');
  const { code, stdout, stderr, calls } = await operate(['costs', 'check', file, '--to', '2026-11-30']);
  assert.deepEqual(calls[0], ['checkBill', { file: '{"results": []}', to: '2026-11-30' }]);
  assert.equal(code, 1);
  assert.match(stdout, /^2026-11-20 +fal-ai\/flux-2 +how many, amount +5 +4 +0\.05 +0\.04$/m);
  assert.match(stdout, /^2026-11-20T09:00:00Z +fal-ai\/flux-2 +01890000\S+ +2 +not_billed +0\.01$/m);
  assert.match(stderr, /^fal-ai\/upscaler had no attempts: 7, 0\.07$/m);
  assert.match(stderr, /3 agreed, 1 differ/);
  const json = JSON.parse((await operate(['costs', 'check', file, '--json'])).stdout);
  assert.equal(json.differences.length, 1);
});

test('costs rates lists what providers charge, and costs rate changes it', async () => {
  const { stdout } = await operate(['costs', 'rates']);
  assert.match(
    stdout,
    /^openai +gpt-image-2 +text_in 5\.00, image_in 8\.00, image_out 30\.00 +USD +yes +list of LiteLLM, https:/m,
  );
  const own = await operate([
    'costs',
    'rate',
    'openai',
    'gpt-image-2',
    '--image-out',
    '24',
    '--text-in',
    '0',
  ]);
  const model = { provider: 'openai', model: 'gpt-image-2' };
  assert.deepEqual(own.calls[0], ['saveRate', { ...model, rates: { text_in: '0', image_out: '24' } }]);
  const published = await operate(['costs', 'rate', 'openai', 'gpt-image-2', '--published', '--json']);
  assert.deepEqual(published.calls[0], ['saveRate', { ...model, rates: null }]);
  assert.equal(JSON.parse(published.stdout).data.length, 1);
  const both = await operate(['costs', 'rate', 'openai', 'gpt-image-2', '--published', '--image', '0.04']);
  assert.deepEqual([both.code, both.calls], [2, []]);
});
