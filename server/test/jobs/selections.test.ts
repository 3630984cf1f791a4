import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import {
  deleteOperatorIfOthers,
  insertMember,
  insertOperator,
} from '../../src/accounts/people/people-store.ts';
import { writeZip } from '../../src/images/write-zip.ts';
import { bearer } from '../http/support/requests.ts';
import { openMember, openOperator, password } from '../panel/browser.ts';
import { openWorld, type World } from '../world/world.ts';
import { openOwnAccount } from './support/own-account.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

test('the images of a selection come as one archive, which unzip and Python read', async () => {
  const own = await openOwnAccount(world, 'zip');
  const ids = [await own.make({ prompt: 'a fox / näht "x"' }), await own.make({ prompt: '…' })];
  const sizes = new Map<string, number>();
  for (const id of ids) {
    const { bytes } = (await own.finished(id)).result as { bytes: number };
    sizes.set(id.slice(-12), bytes);
  }
  const headers = bearer(own.key);
  const get = (list: readonly string[]) =>
    fetch(`${world.url}/api/v1/jobs/images.zip?job_ids=${list.join(',')}`, { headers });
  const short = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
  const answer = await get([...ids, short(ids[0] ?? ''), ...ids.map((id) => id.toUpperCase())]);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/zip']);
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-zip-'));
  try {
    const file = join(folder, 'images.zip');
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    const listed = execFileSync('python3', ['-c', listZip, file], { encoding: 'utf8' });
    const found = JSON.parse(listed) as [name: string, bytes: number, isPng: boolean][];
    assert.equal(found.length, 2);
    for (const [name, bytes, isPng] of found) {
      assert.equal(bytes, sizes.get(name.slice(-16, -4)), name);
      assert.ok(isPng && /^\d{4}-\d\d-\d\d [\p{L}\p{N}-]+ [0-9a-f]{12}\.png$/u.test(name), name);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  const stranger = await openOwnAccount(world, 'no zip');
  const foreign = await stranger.make();
  for (const list of [[foreign], [...ids, foreign], ['x'], ['']])
    assert.ok([404, 422].includes((await get(list)).status), String(list));
  const many = Array.from({ length: 501 }, () => short(ids[0] ?? ''));
  assert.equal((await get(many)).status, 422);
  const browser = await openMember(world, { email: 'zipper@example.com', accountId: own.accountId });
  const path = `/api/v1/jobs/images.zip?account=${own.accountId}&job_ids=${ids.map(short).join(',')}`;
  assert.match((await browser.send('GET', path)).headers.get('content-disposition') ?? '', /images\.zip/);
  // Only downloads accept the account in the URL, and only for its members.
  assert.equal((await browser.send('GET', `/api/v1/jobs?account=${own.accountId}`)).status, 401);
  assert.equal((await browser.send('GET', path.replace(own.accountId, stranger.accountId))).status, 404);
});

test('an archive’s images and file names have the requested form, and are safe to unpack', async () => {
  const own = await openOwnAccount(world, 'presets');
  const ids = [await own.make({ prompt: '../con näht' }), await own.make({ prompt: '../con näht' })];
  for (const id of ids) await own.finished(id);
  const get = (query: object) =>
    fetch(
      `${world.url}/api/v1/jobs/images.zip?${new URLSearchParams({ job_ids: ids.join(','), ...query })}`,
      { headers: bearer(own.key) },
    );
  const namesOf = async (query: object) => {
    const answer = await get(query);
    assert.equal(answer.status, 200);
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-zip-'));
    try {
      const file = join(folder, 'images.zip');
      await writeFile(file, Buffer.from(await answer.arrayBuffer()));
      execFileSync('python3', ['-m', 'zipfile', '-e', file, folder]);
      const names = (await readdir(folder)).filter((name) => name !== 'images.zip').sort();
      const sizes = names.map(async (name) => {
        const { format, width } = await sharp(join(folder, name)).metadata();
        return [name, format, width];
      });
      return await Promise.all(sizes);
    } finally {
      await rm(folder, { recursive: true });
    }
  };
  assert.deepEqual(await namesOf({ w: '256', names: '{number} {prompt} {ratio} {resolution}' }), [
    ['1 con-näht 1x1 1K.webp', 'webp', 256],
    ['2 con-näht 1x1 1K.webp', 'webp', 256],
  ]);
  assert.deepEqual(await namesOf({ names: '/../{prompt}\\x.' }), [
    ['con-näht-x (2).png', 'png', 1024],
    ['con-näht-x.png', 'png', 1024],
  ]);
  for (const [names, called] of [
    ['CON', 'CON_'],
    ['con -', 'con_'],
    ['nul .x', 'nul_.x'],
    ['com¹', 'com¹_'],
    ['Lpt0.x', 'Lpt0_.x'],
    ['com12', 'com12'],
  ])
    assert.deepEqual(
      (await namesOf({ names })).map(([name]) => name),
      [`${called} (2).png`, `${called}.png`],
    );
  for (const query of [{ names: '{secret}' }, { names: '' }, { names: 'x'.repeat(101) }, { w: '300' }])
    assert.equal((await get(query)).status, 422, JSON.stringify(query));
});

const listZip = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps([[i.filename, i.file_size, archive.read(i)[1:4] == b"PNG"] for i in archive.infolist()]))`;

test('an archive of more than 4 GB has the zip64 sizes that it needs', async () => {
  const before = 2 ** 32 + 7;
  const files = [{ name: 'a.png', modifiedAt: 0, open: async () => Readable.from([Buffer.alloc(9)]) }];
  const archive = Buffer.concat(await Array.fromAsync(writeZip(files, before)));
  const end = archive.length - 22;
  const zip64 = end - 20 - 56;
  const directory = zip64 - 12 - 5 - 46;
  assert.equal(archive.readUInt32LE(directory), 0x02014b50);
  assert.equal(archive.readUInt32LE(directory + 42), 0xffff_ffff);
  assert.equal(archive.readBigUInt64LE(directory + 46 + 5 + 4), BigInt(before), 'where the file begins');
  assert.equal(archive.readUInt32LE(zip64), 0x06064b50);
  assert.equal(archive.readBigUInt64LE(zip64 + 48), BigInt(before + directory), 'where the directory begins');
  assert.equal(archive.readBigUInt64LE(zip64 + 56 + 8), BigInt(before + zip64));
  assert.equal(archive.readUInt32LE(end + 16), 0xffff_ffff);
});

test('an archive of more than 65,535 files has the zip64 counts that it needs', async () => {
  const count = 65_536;
  async function* files() {
    for (let nth = 0; nth < count; nth += 1)
      yield { name: `${nth}.png`, modifiedAt: 0, open: async () => Readable.from([]) };
  }
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-zip-'));
  try {
    const file = join(folder, 'many.zip');
    await writeFile(file, Buffer.concat(await Array.fromAsync(writeZip(files()))));
    const script = 'import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).infolist()))';
    assert.equal(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }), `${count}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a link names its author by the current name, until the person leaves the account or is deleted', async () => {
  await using own = await openWorld({ env: { DARKROOM_SHARING: 'true' } });
  const [ada, operator] = [await openMember(own, { email: 'ada@example.com' }), await openOperator(own)];
  const id = await own.create();
  await own.finished(id);
  await ada.call('POST /api/v1/shares', { body: { job_ids: [id], with_prompts: false, days: 1 } });
  const makers = async () => (await operator.call('GET /api/v1/shares')).data.map((share) => share.made_by);
  assert.deepEqual(await makers(), ['ada@example.com']);
  const renamed = { name: 'Ada', current_password: password };
  const { person } = await ada.call('POST /panel/session/credentials', { body: renamed });
  assert.deepEqual(await makers(), ['Ada']);
  const { person_id } = person;
  const { accountId: elsewhere } = await own.account('elsewhere');
  await own.app.database.transaction((tx) =>
    insertMember(tx, { accountId: elsewhere, personId: person_id, role: 'viewer' }),
  );
  await operator.call('DELETE /api/v1/members/:person_id', { params: { person_id } });
  await ada.call('POST /panel/session/credentials', { body: { ...renamed, name: 'Ada Lovelace' } });
  assert.deepEqual(await makers(), ['Ada'], 'an account that she has left does not learn it');

  const change = own.app.database.transaction;
  await change((tx) => insertMember(tx, { accountId: own.accountId, personId: person_id }));
  assert.deepEqual(await makers(), ['Ada Lovelace'], 'an account to which she returns learns it');
  // The row of a link that was created during a rename.
  await change((tx) => tx.updateTable('shares').set({ made_by: 'Ada B.' }).execute());
  assert.deepEqual(await makers(), ['Ada Lovelace']);
  await operator.call('DELETE /api/v1/members/:person_id', { params: { person_id } });
  await ada.call('POST /panel/session/credentials', { body: { ...renamed, name: 'Ada King' } });
  assert.deepEqual(await makers(), ['Ada Lovelace']);
  await change((tx) => insertOperator(tx, person_id));
  assert.deepEqual(await makers(), ['Ada King'], 'operators are known by their current names');
  await change((tx) => deleteOperatorIfOthers(tx, person_id));
  await ada.call('POST /panel/session/credentials', { body: { ...renamed, name: 'Ada' } });
  assert.deepEqual(await makers(), ['Ada King']);
  await operator.call('DELETE /admin/v1/people/:person', { params: { person: person_id } });
  assert.deepEqual(await makers(), ['erased']);
});

test('people share images by a link that shows nothing else, and that ends at once', async () => {
  await using own = await openWorld({ env: { DARKROOM_SHARING: 'true' } });
  const browser = await openMember(own, { email: 'sharer@example.com' });
  const ids = [await own.create(undefined, { prompt: 'a <fox> & "friends"' }), await own.create()];
  for (const id of ids) await own.finished(id);
  const share = (body: object) =>
    browser.call('POST /api/v1/shares', {
      body: { job_ids: ids, with_prompts: true, days: 7, ...body },
    });
  const made = await browser.try('POST /api/v1/shares', {
    body: { job_ids: ids, with_prompts: true, days: 7 },
  });
  const { url, token } = made.body as { url: string; token: string };
  assert.deepEqual([made.status, made.headers.get('location')], [201, `/api/v1/shares/${token}`]);
  const page = await fetch(url);
  const text = await page.text();
  assert.equal(page.status, 200);
  assert.match(page.headers.get('x-robots-tag') ?? '', /noindex/);
  assert.match(page.headers.get('cache-control') ?? '', /no-store/);
  assert.ok(text.includes('a &lt;fox&gt; &amp; &quot;friends&quot;') && !text.includes('<script'));
  assert.equal(text.match(/<\/svg>Made with AI</g)?.length, ids.length);
  const images = ids.map((id) => `${url}/${id}.png`);
  assert.deepEqual(
    [...text.matchAll(/<a href="([^"]+)" download/g)].map(([, link]) => own.url + link),
    images,
  );
  const shown = text.match(/<img src="([^"]+)" srcset="([^"]+)"/);
  const sources = [shown?.[1], ...(shown?.[2] ?? '').split(', ').map((source) => source.split(' ')[0])];
  for (const source of sources) {
    const small = await fetch(own.url + source);
    assert.deepEqual([small.status, small.headers.get('content-type')], [200, 'image/webp']);
    assert.match(small.headers.get('cache-control') ?? '', /no-store/);
    assert.equal((await small.arrayBuffer()).byteLength, Number(small.headers.get('content-length')));
  }
  assert.equal(sources.length, 4);
  assert.equal((await fetch(`${images[0]}?w=3`)).status, 422);
  const image = await fetch(images[0] ?? '');
  assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/png']);
  assert.match(image.headers.get('x-robots-tag') ?? '', /noindex/);
  assert.equal((await image.arrayBuffer()).byteLength, Number(image.headers.get('content-length')));

  const one = await share({ job_ids: ids.slice(0, 1), with_prompts: false });
  assert.ok(!(await (await fetch(one.url)).text()).includes('fox'));
  assert.equal((await fetch(`${one.url}/${ids[1]}.png`)).status, 410, 'of the other one');
  const list = await browser.call('GET /api/v1/shares');
  assert.deepEqual(new Set(list.data.map((row) => row.url)), new Set([url, one.url]));

  assert.equal((await own.send('DELETE', `/jobs/${ids[0]}/image`)).status, 204);
  assert.equal((await fetch(one.url)).status, 410);
  assert.equal((await fetch(images[0] ?? '')).status, 410);
  assert.equal((await fetch(url)).status, 200, 'the other image is still there');
  await browser.call('DELETE /api/v1/shares/:token', { params: { token } });
  for (const gone of [url, images[1] ?? '']) assert.equal((await fetch(gone)).status, 410);
  const short = await share({ job_ids: ids.slice(1), days: 1 });
  await own.jump(24 * 60 * 60 * 1000);
  assert.equal((await fetch(short.url)).status, 410);
  assert.equal((await fetch(`${own.url}/shared/${'x'.repeat(22)}`)).status, 404);

  const foreign = await own.account('no sharer', { creditMicros: 1_000_000n });
  const theirs = await own.create('/nb2/text-generations', {}, bearer(foreign.key));
  const closed = await openMember(world, { email: 'unshared@example.com' });
  for (const [by, job_ids, status] of [
    [browser, [theirs], 404],
    [browser, ids.slice(0, 1), 422],
    [closed, [await world.create()], 404],
  ] as const) {
    const body = { job_ids: [...job_ids], with_prompts: true, days: 7 };
    assert.equal((await by.try('POST /api/v1/shares', { body })).status, status);
  }
  assert.equal((await fetch(`${world.url}/shared/${token}`)).status, 404);
  const { enabled } = await closed.call('GET /api/v1/shares');
  assert.equal(enabled, false);
});
