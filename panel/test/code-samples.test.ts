import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { codeSamples } from '../src/features/make/code-samples.ts';

const nasty = `it's "$HOME" \`id\` \\ $(rm) 'quoted'\nand a second line`;

suite('code samples', () => {
  const samples = codeSamples(
    {
      model: 'nb2',
      mode: 'url',
      body: { prompt: nasty, aspect_ratio: '16:9', input_images_urls: ["https://a.example/it's.png"] },
    },
    'http://127.0.0.1:3000',
  );

  test('a shell hands curl the prompt as it was typed, whatever is in it', () => {
    const words = wordsOf('curl', samples.curl);
    assert.equal(words[0], 'http://127.0.0.1:3000/api/v1/nb2/url-generations');
    assert.equal(JSON.parse(words.at(-1) ?? '').prompt, nasty);
  });

  test('a shell hands the command the prompt and the inputs as they were typed', () => {
    const words = wordsOf('npx', samples.CLI);
    assert.equal(words.at(-1), nasty);
    assert.equal(words[words.indexOf('-i') + 1], "https://a.example/it's.png");
  });

  test('a prompt that begins with a dash is no option', () => {
    const { CLI } = codeSamples(
      { model: 'nb', mode: 'text', body: { prompt: '--help', aspect_ratio: '1:1' } },
      '',
    );
    assert.deepEqual(wordsOf('npx', CLI).slice(-2), ['--', '--help']);
  });

  test('the TypeScript names the same fields', () => {
    assert.ok(samples.TypeScript.includes(`prompt: ${JSON.stringify(nasty)},`));
    assert.ok(samples.TypeScript.includes("generate('nb2', {"));
  });
});

/** Splits a line in a shell where `command` prints its arguments, each ended by NUL. */
function wordsOf(command: string, line: string): string[] {
  const script = `${command}() { printf '%s\\0' "$@"; }; uuidgen() { echo x; }; ${line}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}
