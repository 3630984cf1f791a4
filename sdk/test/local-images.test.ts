import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { photo } from '../../server/test/uploads/images.ts';
import { openWorld } from '../../server/test/world/world.ts';
import { Darkroom, DarkroomError } from '../src/index.ts';

test('local images of every kind become inputs in their order, and leave no upload', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-sdk-'));
  await using world = await openWorld();
  const path = join(folder, 'photo.jpg');
  await writeFile(path, photo);
  const asked: string[] = [];
  const darkroom = new Darkroom({
    baseUrl: world.url,
    apiKey: world.key,
    fetch(url, init) {
      asked.push(`${init?.method} ${new URL(String(url)).pathname.replace(/[0-9a-f-]{36}/, 'ID')}`);
      return fetch(url, init);
    },
  });
  const first = await darkroom.upload(photo);
  assert.equal((await (await fetch(first.url)).arrayBuffer()).byteLength, first.bytes);
  const bytes = new Uint8Array(photo);
  const input_images = [
    path,
    first.url,
    new URL(first.url),
    pathToFileURL(path),
    bytes,
    new Blob([bytes], { type: 'image/jpeg' }),
    new File([bytes], 'photo.jpg'),
    bytes,
  ];
  const request = { prompt: 'a fox', aspect_ratio: 'auto', input_images } as const;
  asked.length = 0;
  const job = await darkroom.generate('nb2', { ...request, input_images });
  assert.equal(job.status, 'done');
  assert.equal(job.aspect_ratio, '4:3');
  assert.equal(world.provider.requests[0]?.request.inputs.length, 8);
  const count = (line: string) => asked.filter((one) => one === line).length;
  // Equal images are sent once.
  assert.deepEqual([count('POST /api/v1/uploads'), count('DELETE /api/v1/uploads/ID')], [5, 5]);

  const wrong = darkroom.createJob('nb2', {
    ...request,
    input_images: [photo, Buffer.from('no image at all')],
  });
  await assert.rejects(wrong, (error: unknown) => error instanceof DarkroomError && error.status === 422);
  await assert.rejects(darkroom.createJob('nb2', { ...request, input_images: [join(folder, 'none.jpg')] }), {
    code: 'ENOENT',
  });
  await darkroom.deleteUpload(first.upload_id);
  const left = await world.app.database.read.selectFrom('uploads').select('id').execute();
  assert.deepEqual(left, []);
  assert.equal(world.provider.requests.length, 1);
  await rm(folder, { recursive: true });
});
