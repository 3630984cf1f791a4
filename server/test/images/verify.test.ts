import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { startEmulator } from '../emulators/emulator.ts';
import { openRawClient } from '../http/support/raw-client.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { addPerson, Browser, openMember, password } from '../panel/browser.ts';
import { plainPng, TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const trained = new TestProvider();
trained.capabilities.exact = false;
const replacements = { routes: testRoutes(trained) };
const world = await openWorld({ config: { publicVerify: true }, replacements });
after(() => world[Symbol.asyncDispose]());

const prompt = 'a fox that nobody else may know of';

async function make() {
  const job = await world.finished(await world.create('/nb2/text-generations', { prompt }));
  const { image_url } = job.result as { image_url: string };
  return { job, png: Buffer.from(await (await fetch(image_url)).arrayBuffer()) };
}

/** Later than the earlier requests, so that the address's limit is not reached. */
async function ask(
  bytes: Uint8Array,
  { at = world, accept = 'application/json' }: { at?: World; accept?: string } = {},
) {
  await at.jump(60_000);
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'image.png');
  const reply = await fetch(`${at.url}/verify`, { method: 'POST', body, headers: { accept } });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text };
}

test('our image is recognised by its hash, and prompt, account and job are not revealed', async () => {
  const { job, png } = await make();
  const { status, text } = await ask(png);
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(text), {
    ...{ made_here: true, how: 'hash', created_at: job.finished_at, model: 'nb2' },
    marks: { xmp: 'trainedAlgorithmicMedia', c2pa: { state: 'none' } },
  });
  for (const secret of [prompt, world.accountId, String(job.job_id)]) assert.ok(!text.includes(secret));
});

test('a changed image is not taken for ours, although its mark still says so', async () => {
  const { png } = await make();
  const again = await sharp(png).keepXmp().jpeg({ quality: 70 }).toBuffer();
  for (const changed of [again, Buffer.concat([png, Buffer.from('.')])]) {
    const answer = JSON.parse((await ask(changed)).text);
    assert.deepEqual(answer, {
      ...{ made_here: false, how: null },
      marks: { xmp: 'trainedAlgorithmicMedia', c2pa: { state: 'none' } },
    });
  }
});

test('other images are recognised as such, and a signature is mentioned', async () => {
  const none = { made_here: false, how: null };
  const unmarked = JSON.parse((await ask(plainPng(64, 64))).text);
  assert.deepEqual(unmarked, { ...none, marks: { xmp: null, c2pa: { state: 'none' } } });
  const signed = JSON.parse((await ask(Buffer.concat([plainPng(64, 64), Buffer.from('jumbjumdc2pa')]))).text);
  assert.equal(signed.marks.c2pa.state, 'unchecked');
});

test('a file that is not an image is refused, and the page says why', async () => {
  const text = Buffer.from('no image');
  const reply = await ask(text);
  const body = JSON.parse(reply.text);
  assertProblem({ ...reply, body }, 422, 'inputs_unusable');
  const [{ pointer, code }] = body.errors;
  assert.deepEqual([pointer, code], ['/file', 'input_not_an_image']);
  const page = await ask(text, { accept: 'text/html' });
  assert.equal(page.status, 422);
  assert.match(page.text, /role="alert"><p>The file is not a JPEG, PNG, WebP or GIF image\./);
});

test('our own links can be verified, and no other link is opened', async () => {
  const { job } = await make();
  const { image_url: link } = job.result as { image_url: string };
  const about = async (url: string) => {
    await world.jump(60_000);
    const reply = await fetch(`${world.url}/verify`, { method: 'POST', body: new URLSearchParams({ url }) });
    const body = (await reply.json()) as Record<string, unknown>;
    return { status: reply.status, headers: reply.headers, body };
  };
  const { body } = await about(link);
  assert.deepEqual([body.made_here, body.how, body.job_id], [true, 'hash', undefined]);
  await using foreign = await startEmulator([]);
  for (const wrong of [`${foreign.url}/a.png`, link.replace(/.{4}$/, 'AAAA'), 'a fox', ''])
    assertProblem(await about(wrong), 422, 'invalid_request');
  assert.deepEqual(foreign.requests, []);
});

test('the page distinguishes an expired link, a link to a deleted image and a form without its file', async () => {
  const post = async (body: URLSearchParams | FormData) => {
    await world.jump(60_000);
    const headers = { accept: 'text/html', 'accept-language': 'en' };
    const reply = await fetch(`${world.url}/verify`, { method: 'POST', body, headers });
    assert.equal(reply.status, 422);
    return /<section role="alert"><p>([^<]*)</.exec(await reply.text())?.[1];
  };
  const link = async () => {
    const { job } = await make();
    return { job, url: (job.result as { image_url: string }).image_url };
  };
  const ask = ({ url }: { url: string }) => post(new URLSearchParams({ url }));
  const deleted = await link();
  assert.equal((await world.send('DELETE', `/jobs/${deleted.job.job_id}/image`)).status, 204);
  assert.equal(await ask(deleted), 'The image of this link was deleted.');
  assert.match((await ask({ url: 'https://a.example/b.png' })) ?? '', /^This is not the link to an image of/);
  for (const names of [[], ['file', 'file']]) {
    const form = new FormData();
    for (const name of names) form.append(name, new Blob(['x']), 'x.png');
    assert.equal(await post(form), 'Choose one file, the image, and send nothing else.');
  }
  const field = new FormData();
  field.append('url', 'x');
  assert.equal(await post(field), 'Choose one file, the image, and send nothing else.');
  const old = await link();
  await world.jump(26 * 60 * 60_000);
  assert.equal(await ask(old), 'The link has expired. Choose the image itself, or paste a fresh link.');
});

test('a person who must set up an authenticator is told that, and not that the file cannot be read', async () => {
  await using strict = await openWorld({
    config: { publicVerify: true },
    env: { DARKROOM_SECOND_FACTOR: 'everyone' },
    replacements,
  });
  const email = 'owes@example.com';
  await addPerson(strict, { email, accountId: strict.accountId });
  const browser = new Browser(strict);
  await browser.call('POST /panel/sign-in', { body: { email, password } });
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { accept: 'text/html', 'accept-language': 'de', 'content-type': 'image/png', cookie };
  const body = new Uint8Array(plainPng(8, 8));
  const reply = await fetch(`${strict.url}/verify`, { method: 'POST', body, headers });
  assert.equal(reply.status, 403);
  assert.match(await reply.text(), /role="alert"><p>Ein Passwort allein genügt hier nicht/);
});

test('a key of the job’s account, and a person signed in there, get a link to the job', async () => {
  const { job, png } = await make();
  const led = async (headers: Record<string, string>) => {
    await world.jump(60_000);
    const type = { 'content-type': 'image/png' };
    const body = new Uint8Array(png);
    const reply = await fetch(`${world.url}/verify`, {
      method: 'POST',
      body,
      headers: { ...type, ...headers },
    });
    const { made_here, job_id, job_url } = (await reply.json()) as Record<string, unknown>;
    assert.equal(made_here, true);
    return [job_id, job_url];
  };
  const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
  const own = [job.job_id, `${world.url}/accounts/${world.accountId}/jobs/${job.job_id}`];
  assert.deepEqual(await led(withKey(world.key)), own);
  const { key } = await world.account('strangers of verify');
  assert.deepEqual(await led(withKey(key)), [undefined, undefined]);
  const { cookies } = await openMember(world, { email: 'ada@example.com' });
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  assert.deepEqual(await led({ cookie }), own);
});

test('once an image is deleted, it is no longer recognised', async () => {
  const { job, png } = await make();
  assert.equal((await world.send('DELETE', `/jobs/${job.job_id}/image`)).status, 204);
  assert.equal(JSON.parse((await ask(png)).text).made_here, false);
});

test('a form without scripts shows the answer in words', async () => {
  const page = await (await fetch(`${world.url}/verify`)).text();
  assert.match(page, /<form method="post" enctype="multipart\/form-data">/);
  const { png } = await make();
  const { text, headers } = await ask(png, { accept: 'text/html,*/*;q=0.8' });
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.match(text, /<strong>Yes\.<\/strong> It was made here on \d{4}-\d\d-\d\d, by the model nb2/);
});

test('one address may send ten requests at once, then it has to wait', async () => {
  await using _held = await world.hold();
  await ask(plainPng(64, 64));
  const post = async () => {
    const headers = { 'content-type': 'image/png' };
    const reply = await fetch(`${world.url}/verify`, { method: 'POST', body: 'no image', headers });
    return {
      status: reply.status,
      headers: reply.headers,
      body: (await reply.json()) as Record<string, unknown>,
    };
  };
  for (let count = 1; count < 10; count += 1) assert.equal((await post()).status, 422);
  const last = await post();
  assertProblem(last, 429, 'too_many_requests');
  assert.ok(Number(last.headers.get('retry-after')) > 0);
  const headers = { 'content-type': 'image/png', accept: 'text/html' };
  const page = await fetch(`${world.url}/verify`, { method: 'POST', body: 'no image', headers });
  assert.deepEqual([page.status, page.headers.get('content-type')], [429, 'text/html; charset=utf-8']);
  assert.ok(Number(page.headers.get('retry-after')) > 0);
  assert.match(await page.text(), /<section role="alert"><p>Too many requests came from your address/);
});

test('the page does not exist unless the operator turns it on', async () => {
  await using closed = await openWorld();
  assert.equal((await ask(plainPng(64, 64), { at: closed })).status, 404);
  assert.equal((await fetch(`${closed.url}/verify`)).status, 404);
});

test('a file with many small pieces is read like one with few, and marks at both ends are found', async () => {
  const { png } = await make();
  const xmp = png.subarray(png.indexOf('<x:xmpmeta'), png.indexOf('</x:xmpmeta>') + 12);
  for (const megabytes of [0, 2, 3, 7]) {
    const long = Buffer.concat([plainPng(8, 8), Buffer.alloc(megabytes * 1024 * 1024 + 7), xmp]);
    assert.equal(JSON.parse((await ask(long)).text).marks.xmp, 'trainedAlgorithmicMedia', `${megabytes} MB`);
  }
  const began = performance.now();
  await ask(Buffer.concat([plainPng(8, 8), Buffer.alloc(50_000_000)]));
  const wholeMs = performance.now() - began;
  const { status, ms } = await askInPieces(1_000_000);
  assert.equal(status, 200);
  // Copying a megabyte for each of a million pieces would take a hundred seconds.
  assert.ok(ms < 20 * wholeMs + 20_000, `${ms} ms beside ${wholeMs} ms`);
});

test('uploaded files share the inputs’ disk space, and are refused if it is short', async () => {
  await using full = await openWorld({
    config: { publicVerify: true, minFreeDiskBytes: 1e18 },
    replacements,
  });
  const reply = await ask(plainPng(64, 64), { at: full });
  assertProblem({ ...reply, body: JSON.parse(reply.text) }, 503, 'overloaded');
});

async function askInPieces(count: number): Promise<{ status: number; ms: number }> {
  await world.jump(60_000);
  const began = performance.now();
  using client = await openRawClient(world.url);
  client.write(
    `POST /verify HTTP/1.1\r\nhost: here\r\ncontent-type: image/png\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  const png = plainPng(8, 8);
  client.write(Buffer.concat([Buffer.from(`${png.length.toString(16)}\r\n`), png, Buffer.from('\r\n')]));
  client.write('1\r\nx\r\n'.repeat(count));
  client.write('0\r\n\r\n');
  const { status = 0 } = (await client.next()) ?? {};
  return { status, ms: performance.now() - began };
}
