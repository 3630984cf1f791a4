import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key, maxRetries: 0 });

const boundary = 'multipart/form-data; boundary=x';
const part = (name: string, value: string, more = '') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const purpose = part('purpose', 'batch');
const sent = part('file', '{}', '; filename="a.jsonl"');

for (const [what, type, body, status] of [
  ['JSON', 'application/json', '{}', 415],
  ['nothing', boundary, '', 400],
  ['no boundary', 'multipart/form-data', `${sent}--x--`, 400],
  ['no purpose', boundary, `${sent}--x--`, 400],
  ['another purpose', boundary, `${part('purpose', 'fine-tune')}${sent}--x--`, 400],
  ['no file', boundary, `${purpose}--x--`, 400],
  ['an empty file', boundary, `${purpose}${part('file', '', '; filename="a"')}--x--`, 400],
  ['two files', boundary, `${purpose}${sent}${sent}--x--`, 400],
  ['a file of another name', boundary, `${purpose}${part('image', 'a', '; filename="a"')}--x--`, 400],
  [
    'an end that is not kept',
    boundary,
    `${purpose}${part('expires_after[seconds]', '3600')}${sent}--x--`,
    400,
  ],
  ['a file that ends in the middle', boundary, `${purpose}${sent.slice(0, -2)}`, 400],
  ['17 MB', boundary, `${purpose}${part('file', 'x'.repeat(17 * 1024 * 1024), '; filename="a"')}--x--`, 413],
] as const)
  test(`an upload of ${what} is refused in OpenAI's form, and keeps nothing`, async () => {
    const known = (await client.files.list({ limit: 100 })).data.length;
    for (const chunked of [false, true]) {
      const answer = await send(type, body, chunked);
      assert.equal(answer.status, status, answer.text);
      assert.equal(typeof JSON.parse(answer.text).error.message, 'string');
    }
    assert.equal((await client.files.list({ limit: 100 })).data.length, known);
  });

test('each refused option of a file is named with its own reason', async () => {
  for (const [field, why] of [
    ['expires_after[seconds]', /expires_after\[seconds\] is not supported: a file is kept as long/],
    ['colour', /^colour cannot be honoured: leave it out\.$/],
  ] as const) {
    const { text } = await send(boundary, `${purpose}${part(field, '3600')}${sent}--x--`, false);
    const { message, param } = JSON.parse(text).error;
    assert.match(message, why);
    assert.equal(param, field);
  }
});

test('an upload in any order of its fields and pieces is kept, and one that is cut is not', async () => {
  const known = (await client.files.list({ limit: 100 })).data.length;
  const { status, text } = await send(boundary, `${sent}${purpose}--x--`, true);
  assert.deepEqual([status, JSON.parse(text).bytes], [200, 2]);
  const cut = request(`${world.url}/v1/files`, {
    method: 'POST',
    headers: { ...auth, 'content-type': boundary, 'content-length': 1_000 },
  });
  cut.on('error', () => {});
  cut.write(purpose);
  await once(cut, 'socket');
  cut.destroy();
  await new Promise((resolve) => cut.once('close', resolve));
  assert.equal((await client.files.list({ limit: 100 })).data.length, known + 1);
});

test('a line whose image is gone is named by its number, also after blank lines', async () => {
  const endpoint = '/v1/images/edits';
  const images = [{ image_url: `${world.url}/images/${world.accountId}.png` }];
  const body = { model: 'nb2', prompt: 'a fox', images };
  const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: endpoint, body });
  const file = await toFile(Buffer.from(`\n \n${line}\n`), 'batch.jsonl');
  const { id } = await client.files.create({ file, purpose: 'batch' });
  await assert.rejects(client.batches.create({ input_file_id: id, endpoint, completion_window: '24h' }), {
    status: 400,
    param: 'line 3',
  });
});

const auth = { authorization: `Bearer ${world.key}` };

async function send(type: string, body: string, chunked: boolean): Promise<{ status: number; text: string }> {
  const head = Math.min(300, body.length);
  const pieces = [...Array.from(body.slice(0, head)), body.slice(head)];
  const answer = await fetch(`${world.url}/v1/files`, {
    method: 'POST',
    headers: { ...auth, 'content-type': type },
    body: chunked ? ReadableStream.from(pieces.map((one) => Buffer.from(one))) : body,
    ...(chunked && { duplex: 'half' }),
  });
  return { status: answer.status, text: await answer.text() };
}
