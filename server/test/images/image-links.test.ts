import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newId } from '../../src/base/std/ids.ts';
import {
  atWidth,
  createLinkSigner,
  type ImageLink,
  parseImageFile,
  whyNotValid,
  writtenWidth,
} from '../../src/images/image-links.ts';

const startMs = Date.UTC(2026, 10, 1, 12, 0, 0, 250);
const jobId = newId(startMs);
const hourMs = 60 * 60 * 1000;

function world({ secrets = ['one secret'], cdnUrl = 'https://cdn.example' } = {}) {
  const clock = { ms: startMs, nowMs: () => clock.ms, monotonicMs: () => clock.ms };
  return { clock, signer: createLinkSigner({ cdnUrl: () => cdnUrl, secrets, clock }) };
}

function piecesOf(url: string): ImageLink {
  const [, id = '', ext = '', query = ''] = /\/images\/([^/.]+)\.([a-z]+)\?(.*)$/.exec(url) ?? [];
  return { name: id, ext, query };
}

test('a link has the published shape, under the CDN address, with or without a slash at its end', () => {
  for (const cdnUrl of ['https://cdn.example/base']) {
    const url = world({ cdnUrl }).signer.sign(jobId, 'png');
    const shape =
      /^https:\/\/cdn\.example\/base\/images\/([^?]*)\?expires=\d{10}&key=[0-9a-f]{8}&signature=[\w-]{43}$/;
    assert.equal(shape.exec(url)?.[1], `${jobId}.png`);
    assert.equal(new URL(url).href, url);
  }
});

test('links signed within one hour are the same link, which is valid for at least 24 hours after each signing', () => {
  const { clock, signer } = world();
  for (let minute = 0; minute < 180; minute += 1) {
    const hour = Math.ceil(clock.ms / hourMs);
    const link = piecesOf(signer.sign(jobId, 'png'));
    const signedAt = clock.ms;
    for (const [later, outcome] of [
      [24 * hourMs - 1, 'ok'],
      [25 * hourMs, 'expired'],
    ] as const) {
      clock.ms = signedAt + later;
      assert.equal(signer.verify(link), outcome);
    }
    clock.ms = signedAt + 60_000;
    const next = piecesOf(signer.sign(jobId, 'png'));
    assert.equal(next.query === link.query, Math.ceil(clock.ms / hourMs) === hour);
  }
});

test('a link expires in the second that it names, not later', () => {
  const { clock, signer } = world();
  const link = piecesOf(signer.sign(jobId, 'png'));
  clock.ms = 1000 * Number(new URLSearchParams(link.query).get('expires'));
  assert.equal(signer.verify(link), 'expired');
  clock.ms -= 1;
  assert.equal(signer.verify(link), 'ok');
});

test('a link with any character changed is tampered, even one in the signature that would not change its bytes', () => {
  const { signer } = world();
  const link = piecesOf(signer.sign(jobId, 'png'));
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=&%.+ \n\0é';
  for (const piece of ['name', 'ext', 'query'] as const) {
    for (let at = 0; at <= link[piece].length; at += 1) {
      for (const character of characters) {
        const replaced = link[piece].slice(0, at) + character + link[piece].slice(at + 1);
        const inserted = link[piece].slice(0, at) + character + link[piece].slice(at);
        for (const changed of [replaced, inserted]) {
          if (changed !== link[piece])
            assert.equal(signer.verify({ ...link, [piece]: changed }), 'tampered', changed);
        }
      }
    }
  }
});

test("a link with another job's signature, another kind of file or another secret is tampered", () => {
  const { signer } = world();
  const link = piecesOf(signer.sign(jobId, 'png'));
  const other = piecesOf(signer.sign(newId(startMs), 'png'));
  assert.equal(signer.verify({ ...link, query: other.query }), 'tampered');
  assert.equal(signer.verify({ ...link, ext: 'jpg' }), 'tampered');
  assert.equal(world({ secrets: ['another secret'] }).signer.verify(link), 'tampered');
});

test('a link with missing, repeated, reordered, added or malformed parameters is tampered', () => {
  const { signer } = world();
  const link = piecesOf(signer.sign(jobId, 'png'));
  const [expires = '', key = '', signature = ''] = link.query.split('&');
  const queries = [
    '',
    `${expires}&${key}`,
    `${expires}&${signature}`,
    `${key}&${signature}`,
    `${expires}&${expires}&${key}&${signature}`,
    `${link.query}&${expires}`,
    `${link.query}&${signature}`,
    `${link.query}&extra=1`,
    `${link.query}&`,
    `?${link.query}`,
    `${key}&${expires}&${signature}`,
    `expires[]=${expires.slice(8)}&${key}&${signature}`,
    link.query.replace('expires', 'Expires'),
    link.query.replace('expires', '%65xpires'),
    link.query.replace(/key=.{8}/, 'key=00000000'),
  ];
  const values = [
    '1e99',
    '-1',
    '0x10',
    '',
    '0',
    '01793620800',
    '1793620800.0',
    ' 1793620800',
    '１７９３６２０８００',
    '9'.repeat(13),
    'NaN',
  ];
  queries.push(...values.map((value) => `expires=${value}&${key}&${signature}`));
  for (const query of queries) assert.equal(signer.verify({ ...link, query }), 'tampered', query);
  assert.equal(signer.verify(link), 'ok');
});

test('nothing that a stranger sends is accepted or throws', () => {
  const { signer } = world();
  const { query } = piecesOf(signer.sign(jobId, 'png'));
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(query), fc.constant(`png\n${query}`));
  fc.assert(
    fc.property(text, text, text, (id, ext, given) => {
      assert.equal(signer.verify({ name: id, ext, query: given }), 'tampered');
    }),
  );
});

test('a new secret signs new links, and links of the old secret stay valid until it is removed', () => {
  const link = piecesOf(world({ secrets: ['old'] }).signer.sign(jobId, 'png'));
  const both = world({ secrets: ['new', 'old'] }).signer;
  assert.equal(both.verify(link), 'ok');
  const fresh = piecesOf(both.sign(jobId, 'png'));
  assert.equal(world({ secrets: ['old'] }).signer.verify(fresh), 'tampered');
  assert.equal(world({ secrets: ['new'] }).signer.verify(fresh), 'ok');
  assert.equal(world({ secrets: ['new'] }).signer.verify(link), 'tampered');
});

test('no secret, or an empty one, is refused', () => {
  for (const secrets of [[], [''], ['one', '']]) assert.throws(() => world({ secrets }), TypeError);
});

test('a file name means a result, an input or an upload, and other names mean nothing', () => {
  assert.deepEqual(parseImageFile(`${jobId}.png`), {
    ...{ name: jobId, ext: 'png' },
    image: { kind: 'job', jobId, input: null },
  });
  assert.deepEqual(parseImageFile(`${jobId}-input-13.jpg`)?.image, { kind: 'job', jobId, input: 13 });
  assert.deepEqual(parseImageFile(`upload-${jobId}.webp`)?.image, { kind: 'upload', uploadId: jobId });
  for (const file of [
    `${'-'.repeat(36)}.png`,
    `${jobId}.gif`,
    `${jobId}`,
    `${jobId}-input-01.png`,
    `${jobId}-input-100.png`,
    `upload-${jobId}-input-0.png`,
  ])
    assert.equal(parseImageFile(file), undefined, file);
});

test('the error of a link, and what to do, depends on what the link leads to', () => {
  const job = { kind: 'job', jobId, input: null } as const;
  const upload = { kind: 'upload', uploadId: jobId } as const;
  assert.match(whyNotValid('expired', job), /expired\. Read the job again/);
  assert.match(whyNotValid('expired', upload), /expired\. Upload the image again/);
  for (const image of [job, upload])
    assert.match(whyNotValid('tampered', image), /does not belong to this server/);
});

test('published links stay valid, whatever version of Darkroom signed them', () => {
  const name = '019a3f5e-7c40-7000-8000-000000000000';
  const url =
    'https://cdn.example/images/019a3f5e-7c40-7000-8000-000000000000.png?expires=1793624400&key=4ff9d593&signature=XZpSUqXs43c-CymNCrlMANpsHzxW3jvRqip6uOIV7Zs';
  const { signer } = world();
  assert.equal(signer.sign(name, 'png'), url);
  const link = piecesOf(url);
  assert.equal(signer.verify(link), 'ok');
  assert.equal(signer.secondsLeft(link), 24 * 60 * 60 + 60 * 60 - 1);
  const smaller = piecesOf(atWidth(url, 256));
  assert.deepEqual([writtenWidth(link), writtenWidth(smaller)], [undefined, '256']);
  assert.equal(signer.verify(smaller), 'ok');
});
