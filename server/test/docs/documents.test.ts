import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { changelogFile, sections } from '../../src/web/api/docs/contents.ts';
import { plainText, readMarkdown, spansOf } from '../../src/web/api/docs/markdown.ts';

const root = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const served = sections
  .flatMap(({ files, folders = [] }) => [
    ...files,
    ...folders.flatMap(({ index, files: more }) => [index, ...more]),
  ])
  .map((name) => `${name}.md`);

test('every document in these folders is a page, exactly once', () => {
  const written = globSync('docs/{start,guides,concepts,providers,operations}/*.md', { cwd: root });
  assert.deepEqual(
    served.filter((file) => file.split('/').length > 2).sort(),
    written.map((file) => file.replaceAll('\\', '/')).sort(),
  );
});

test('pages use only the Markdown that the site reads', () => {
  for (const file of [...served, `${changelogFile}.md`]) {
    const text = read(file).replace(/^```[\s\S]*?^```$/gm, '');
    for (const [form, pattern] of Object.entries({
      'a quotation': /^\s*>/m,
      'a list within a list': /^ {2,}([-*]|\d+\.) /m,
      'code by indenting': /^ {4,}\S.*\n {4,}/m,
      'a heading by underlining': /^(=+|-+)$/m,
      'a rule': /^(\*\*\*|___)$/m,
      'a link by reference': /^\[[^\]]+\]:/m,
      'a fence within a list': /^\s+```/m,
      emphasis: /(?<![\w`])_[a-z][^_\n]*_(?!\w)/,
    }))
      assert.doesNotMatch(text.replace(/`[^`\n]*`/g, ''), pattern, `${file} has ${form}`);
    for (const block of readMarkdown(read(file)))
      if (block.kind === 'paragraph') {
        const rest = spansOf(block.text).filter(({ kind }) => kind === 'text');
        for (const { text: words } of rest)
          assert.doesNotMatch(words, /<\/?[a-z]|\]\(|`/, `${file}: ${block.text}`);
      }
  }
});

test('every link in a document leads to a file in the repository, and to a heading in that file', () => {
  const files = [
    'README.md',
    'SECURITY.md',
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    ...globSync('docs/**/*.md', { cwd: root }),
    ...globSync('{sdk,cli,scripts/packaging}/README.md', { cwd: root }),
  ];
  const anchors = (file: string) =>
    new Set(readMarkdown(read(file)).map((block) => (block.kind === 'heading' ? block.id : '')));
  for (const file of files) {
    const text = read(file).replace(/^```[\s\S]*?^```$/gm, '');
    for (const span of spansOf(text)) {
      if (span.kind !== 'link' && span.kind !== 'image') continue;
      if (/^(https?:|mailto:|\/)/.test(span.target)) continue;
      const [name = '', anchor] = span.target.split('#');
      const target = name === '' ? file : normalize(join(dirname(file), name));
      assert.ok(existsSync(join(root, target)), `${file} leads to ${span.target}`);
      if (anchor !== undefined) assert.ok(anchors(target).has(anchor), `${file} leads to ${span.target}`);
    }
  }
});

test('the Markdown reader finds the parts of a document, with GitHub’s anchors', () => {
  const blocks = readMarkdown(
    [
      '# One `two`\n\nA line\nand [a `link`](x.md#y) **bold** *so* <https://a.example/b>.\n- item\n  goes on\n- item',
      '## What is asked?\n\n3. first\n4. second\n\n| a | b |\n|---|---|\n| `x \\| y` | z |\n',
      '## What is asked?\n\n```sh\n# not a heading\n```',
    ].join('\n\n'),
  );
  assert.deepEqual(
    blocks.map((block) => (block.kind === 'heading' ? block.id : block.kind)),
    ['one-two', 'paragraph', 'list', 'what-is-asked', 'list', 'table', 'what-is-asked-1', 'code'],
  );
  const [, paragraph, list, , numbers, table, , code] = blocks;
  assert.ok(paragraph?.kind === 'paragraph' && list?.kind === 'list' && numbers?.kind === 'list');
  assert.equal(plainText(paragraph.text), 'A line and a link bold so a.example/b.');
  assert.deepEqual([list.first, list.items, numbers.first], [null, ['item goes on', 'item'], 3]);
  assert.deepEqual(table?.kind === 'table' && [table.head, table.rows], [['a', 'b'], [['`x | y`', 'z']]]);
  assert.equal(code?.kind === 'code' && code.code, '# not a heading');
});

test('a decision is a page, or says why it is longer', () => {
  for (const file of globSync('docs/decisions/*.md', { cwd: root })) {
    const text = read(file);
    const words = text.split(/\s+/).length;
    const saysWhy = /^# .*\n\nLonger than a page: .+\.$/m.test(text);
    assert.equal(words > 605, saysWhy, `${file} has ${words} words`);
  }
});
