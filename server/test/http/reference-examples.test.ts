import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { skip as noBrowser, openBrowser } from '../../../panel/e2e/support.ts';
import { Darkroom } from '../../../sdk/src/index.ts';
import { type App, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { codeBlocksOf, headingOf, plain, sectionsOf } from './read-page.ts';

let app: App;
let dataDir: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'darkroom-examples-'));
  app = await startApp(readConfig({ PORT: '0', DARKROOM_DATA_DIR: dataDir, DARKROOM_LOG_LEVEL: 'silent' }));
});

after(async () => {
  await app?.[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

async function text(path: string): Promise<string> {
  const response = await fetch(`${app.url}${path}`);
  assert.equal(response.status, 200, path);
  return response.text();
}

test('the examples for curl and TypeScript work unchanged', async () => {
  const sections = sectionsOf(await text('/docs/reference'));
  const darkroom = new Darkroom({ baseUrl: app.url ?? '', apiKey: app.demo?.key ?? '' });
  let ran = 0;
  for (const section of sections.filter((one) => /^POST .*text-generations$/.test(plain(headingOf(one))))) {
    const [curl = '', , , , typescript = ''] = codeBlocksOf(section);
    const [, path = ''] = /"\$DARKROOM_URL([^"]+)"/.exec(curl) ?? [];
    const [, body = ''] = /-d '([^']+)'/.exec(curl) ?? [];
    const headers = { authorization: `Bearer ${app.demo?.key}`, 'content-type': 'application/json' };
    assert.equal((await fetch(`${app.url}${path}`, { method: 'POST', headers, body })).status, 202, curl);

    const run = new Function('darkroom', `return (async () => { ${typescript}; return { job, image }; })();`);
    const { job, image } = await run(darkroom);
    assert.equal(job.status, 'done');
    assert.equal(image.size, job.result.bytes);
    ran += 1;
  }
  assert.equal(ran, 3);
});

interface Language {
  program: string;
  setup: string;
  example: RegExp;
  file: string;
  join(setup: string, examples: readonly string[]): string;
}

/** Runs the examples of calls that need only a key, with the set-up that is shown above all examples. */
const languages: Record<string, Language> = {
  Python: {
    program: 'python3',
    setup: 'import os',
    example: /^answer = /,
    file: 'examples.py',
    join: (setup, examples) => [setup, ...examples].join('\n'),
  },
  JavaScript: {
    program: process.execPath,
    setup: 'const url',
    example: /^const answer = /,
    file: 'examples.mjs',
    join: (setup, examples) => [setup, ...examples.map((code) => `{\n${code}\n}`)].join('\n'),
  },
  Go: {
    program: 'go',
    setup: 'package main',
    example: /^call\(/,
    file: 'examples.go',
    join: (setup, examples) => setup.replace('\tcall("GET", "/api/v1/balance", "")', examples.join('\n')),
  },
};

for (const [name, language] of Object.entries(languages)) {
  const version = spawnSync(language.program, [name === 'Go' ? 'version' : '--version']);
  const skip = version.status !== 0 && `NOT TESTED: no ${language.program}`;
  test(`the examples for ${name} work unchanged`, { skip }, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-examples-'));
    const page = await text('/docs/reference');
    const [setup = ''] = codeBlocksOf(page).filter((code) => code.startsWith(language.setup));
    const sections = sectionsOf(page).filter((one) =>
      /^(POST .*text-generations|GET \/(balance|models|jobs|usage|entries))$/.test(plain(headingOf(one))),
    );
    const examples = sections.flatMap((one) =>
      codeBlocksOf(one).filter((code) => language.example.test(code)),
    );
    assert.equal(examples.length, 8);
    const file = join(folder.path, language.file);
    const local = setup.replace(/^((?:const )?url = ["']).*(["'];?)$/m, `$1${app.url}$2`);
    await writeFile(file, language.join(local, examples));
    const env = {
      ...process.env,
      PYTHONPATH: join(import.meta.dirname, 'support/python'),
      PYTHONDONTWRITEBYTECODE: '1',
      DARKROOM_API_KEY: app.demo?.key ?? '',
    };
    const { stdout } = await promisify(execFile)(
      language.program,
      [...(name === 'Go' ? ['run'] : []), file],
      { env },
    );
    assert.equal(stdout.match(/['"]status_url['"]: ?['"]\/api\/v1\/jobs\//g)?.length, 3, stdout);
    assert.match(stdout, /['"]available['"]/);
  });
}

test('every example for Go is valid code', {
  skip: spawnSync('gofmt', ['-h']).error && 'NOT TESTED: no gofmt',
}, async () => {
  const blocks = codeBlocksOf(await text('/docs/reference')).filter((code) =>
    /^(call\(|photo, err)/.test(code),
  );
  assert.ok(blocks.length >= 20);
  const code = blocks.map((block, at) => `func example${at}() {\n${block}\n}`).join('\n');
  const { stdout, stderr, status } = spawnSync('gofmt', ['-e'], {
    input: `package main\n${code}`,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr + stdout);
});

test('a reader finds a call, tries it with a key, and sees its image', { skip: noBrowser }, async () => {
  using shared = await openBrowser();
  const context = await shared.browser.newContext({ viewport: { width: 1280, height: 900 } });
  const wrong: string[] = [];
  context.on('weberror', (error) => wrong.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  try {
    const page = await context.newPage();
    await page.goto(`${app.url}/docs/reference`);
    await page.keyboard.press('/');
    await page.keyboard.type('nb2 text');
    await page.locator('.found a', { hasText: 'POST /nb2/text-generations' }).waitFor();
    await page.keyboard.press('Enter');
    const section = page.locator('#post-nb2-text-generations');
    await page.waitForURL(/#post-nb2-text-generations$/);

    await section.getByText('Try it').click();
    await section.getByLabel('API key').fill(app.demo?.key ?? '');
    await section.getByLabel('Body').fill('{"prompt": "a red fox", "aspect_ratio": "16:9"}');
    await section.getByRole('button', { name: 'Send POST' }).click();
    await section.getByText(/job done$/).waitFor();
    assert.match(await section.getByLabel('Answer', { exact: true }).innerText(), /"status": "done"/);
    const image = section.getByAltText('The image of the answer');
    await image.waitFor();
    await page.waitForFunction(
      '[...document.querySelectorAll(".beside img")].every((one) => one.naturalWidth > 0)',
    );

    // The key stays for the next call, and refusals are shown as well.
    const job = page.locator('#get-jobs-job_id');
    await job.getByText('Try it').click();
    await job.getByLabel('job_id').fill('nope');
    await job.getByRole('button', { name: 'Send GET' }).click();
    await job.getByText(/^404 in/).waitFor();
    assert.match(await job.getByLabel('Answer', { exact: true }).innerText(), /"not_found"/);
    assert.deepEqual(
      wrong.filter((message) => !/404/.test(message)),
      [],
    );

    for (const [language, code] of [
      ['Go', /^call\("POST"/],
      ['CLI', /^darkroom generate/],
    ] as const) {
      await section.locator('label', { hasText: language }).click();
      assert.match(await section.locator('.tabs .code:visible code').innerText(), code);
    }
  } finally {
    await context.close();
  }
});
