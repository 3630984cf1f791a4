import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAdministration } from '../admin/admin-client.ts';
import { changeModel } from '../world/change-model.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld({
  worker: false,
  env: { DARKROOM_SHARING: 'true' },
  config: { landing: { examples: null }, statusPage: true, publicVerify: true },
});
after(() => world[Symbol.asyncDispose]());

async function read(path: string, accepted?: string, more: Record<string, string> = {}) {
  const headers = {
    accept: 'text/html',
    ...(accepted !== undefined && { 'accept-language': accepted }),
    ...more,
  };
  const answer = await fetch(world.url + path, { headers });
  const text = await answer.text();
  return { answer, text, lang: /<html lang="([^"]*)"/.exec(text)?.[1] };
}

test('pages for strangers are in the language that their browser requests, and say so to caches', async () => {
  const paths: [path: string, de: RegExp, zh: RegExp][] = [
    ['/', /<h1>Bilder aus Worten, im Browser oder per API<\/h1>/, /用文字生成图片/],
    [
      '/status',
      /Alles läuft<\/h1><p>Stand: <time datetime="[^"]+">\d\d\.\d\d\.\d{4} \d\d:\d\d UTC/,
      /一切正常/,
    ],
    ['/verify', /Wurde dieses Bild hier erstellt\?/, /这张图片是在这里制作的吗？/],
    [
      '/shared/none',
      /<h1>Hier wird nichts geteilt<\/h1><p>Diesen Link oder dieses Bild gibt es nicht\./,
      /这里没有分享内容/,
    ],
    ['/shared/none/report/none', /<h1>Hier ist nichts zu melden<\/h1>/, /这里没有可举报的内容/],
    ['/unsubscribe/none', /<h1>Nichts wurde abbestellt<\/h1>/, /未作任何更改/],
  ];
  for (const [path, de, zh] of paths) {
    const german = await read(path, 'de-CH, en;q=0.8');
    assert.equal(german.lang, 'de', path);
    assert.match(german.text, de);
    assert.match(german.answer.headers.get('vary') ?? '', /\bAccept-Language\b/, path);
    const chinese = await read(path, 'fr, zh-TW;q=0.3');
    assert.equal(chinese.lang, 'zh-Hans', path);
    assert.match(chinese.text, zh);
    assert.equal((await read(path)).lang, 'en', path);
  }
});

test('the accepted language with the most weight is used', async () => {
  for (const [accepted, lang] of [
    ['de;q=0.1, en', 'en'],
    ['en;q=0.1,DE-de', 'de'],
    ['en;q=0.5, zh-Hant-TW ; q=0.9, de;q=0.7', 'zh-Hans'],
    ['de;q=0, zh;q=0.1', 'zh-Hans'],
    ['de;q=0', 'en'],
    ['de;q=, zh;q=x', 'en'],
    ['de;q=5, zh;q=0.1', 'zh-Hans'],
    ['de;q=0x10, zh;q=0.001', 'zh-Hans'],
    ['de;q=Infinity, zh;q=1.000', 'zh-Hans'],
    ['de;q=1.001, zh;q=0.1234', 'en'],
    ['de;q=1., zh;q=0.9', 'de'],
    ['fr, *;q=0.5', 'en'],
    ['', 'en'],
    ['constructor, __proto__, den', 'en'],
    [`${','.repeat(3_000)}de`, 'de'],
  ] as const)
    assert.equal((await read('/verify', accepted)).lang, lang, accepted.slice(0, 40));
});

test('a pause until a certain time reads differently from one that is over', async () => {
  const admin = await openAdministration(world);
  await admin().pause('nb', { reason: 'Neu', for: 60 });
  await admin().resume('nb');
  await admin().pause('nb2', { reason: 'Neu', for: 3_600 });
  await world.elapse(15_000);
  const plain = async (language: string) =>
    (await read('/status', language)).text.replaceAll(/<time[^>]*>[^<]*<\/time>/g, 'T');
  const whens = async (language: string) =>
    [...(await plain(language)).matchAll(/<h3[^>]*>([^<]*)<\/h3>.*?<p class="when">([^<]*)</g)].map(
      ([, title, when]) => [title, when],
    );
  assert.deepEqual(await whens('en'), [
    ['Higher quality is paused', 'T until T'],
    ['Fast was paused', 'T to T'],
  ]);
  assert.deepEqual(await whens('de'), [
    ['Higher quality ist angehalten', 'Seit T, noch bis T'],
    ['Fast war angehalten', 'T bis T'],
  ]);
  assert.deepEqual(
    (await whens('zh')).map(([, when]) => when),
    ['自 T 起，将持续到 T', 'T 至 T'],
  );
  const { incidents } = (await (await fetch(`${world.url}/status.json`)).json()) as {
    incidents: { title: string }[];
  };
  assert.deepEqual(
    incidents.map(({ title }) => title),
    ['Higher quality is paused', 'Fast was paused'],
  );
});

test('built-in model descriptions are in the page’s language, and operators’ own are unchanged', async () => {
  await changeModel(world, 'nb2', (model) => model && { ...model, description: 'Feiner' });
  const { text } = await read('/', 'de');
  assert.match(text, /<p>Am schnellsten und günstigsten/);
  assert.match(text, /<p>Feiner<\/p>/);
});

test('a page that a browser has cached in one language does not count for another', async () => {
  const english = await read('/', 'en');
  const known = { 'if-none-match': english.answer.headers.get('etag') ?? '' };
  assert.equal((await read('/', 'en', known)).answer.status, 304);
  const german = await read('/', 'de', known);
  assert.equal(german.answer.status, 200);
  assert.match(german.text, /<caption>Für ein Bild, in USD<\/caption>.*<td>0,02<\/td>/);
  assert.match(english.text, /<td>0\.02<\/td>/);
});
