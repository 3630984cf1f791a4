import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { explainFetchError } from '../../src/images/inputs/fetch-error.ts';
import { fetchInputs } from '../../src/images/inputs/fetch-inputs.ts';
import { InputError } from '../../src/images/inputs/input-errors.ts';
import { createSemaphore } from '../../src/images/inputs/semaphore.ts';
import { onePixelPng } from './support/images.ts';
import { makeInputWorld } from './support/input-world.ts';
import { startStranger } from './support/strangers.ts';

test('a failure of our own disk is not blamed on the client, and frees the slots', async () => {
  await using stranger = await startStranger((_request, response) => response.end(onePixelPng));
  await using world = await makeInputWorld();
  const file = join(world.tempDir, 'file');
  await writeFile(file, '');
  const slots = createSemaphore(1);
  const signal = new AbortController().signal;
  const fetchInto = (tempDir: string) =>
    fetchInputs(
      [stranger.origin],
      { guard: world.guard, slots, space: world.space, owner: 'tests', signal, tempDir },
      async (input) => input,
    );
  for (const _ of [1, 2]) await assert.rejects(fetchInto(join(file, 'below')), { code: 'ENOTDIR' });
  await using set = await fetchInto(world.tempDir);
  assert.equal(set.files.length, 1);
  await rm(file);
});

test('defects and full disks stay the same errors; network errors become sentences', () => {
  const withCode = (code: string, syscall?: string) => Object.assign(new Error('x'), { code, syscall });
  for (const own of [
    new TypeError('x is undefined'),
    withCode('ENOSPC'),
    withCode('EMFILE'),
    withCode('EACCES', 'open'),
  ]) {
    assert.equal(explainFetchError(own), own);
  }
  for (const code of [
    'ECONNREFUSED',
    'ECONNRESET',
    'UND_ERR_SOCKET',
    'HPE_INVALID_CONSTANT',
    'CERT_HAS_EXPIRED',
    'EACCES',
  ]) {
    const explained = explainFetchError(withCode(code, 'connect'));
    assert(explained instanceof InputError);
    assert.equal(explained.code, 'input_unfetchable');
    assert.match(explained.message, /\.$/);
  }
});
