import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../src/features/batches/read-list.ts';

function promptsOf(text: string) {
  const list = readList(text);
  return 'rows' in list ? list.rows.map(({ prompt }) => prompt) : list;
}

test('lines are prompts as they are, commas and quotes too', () => {
  assert.deepEqual(promptsOf('a fox, red\r\n\n  "so it is" \n'), ['a fox, red', '"so it is"']);
  assert.deepEqual(promptsOf(' \n'), []);
});

for (const [name, separator] of [
  ['commas', ','],
  ['semicolons', ';'],
  ['tabs', '\t'],
] as const) {
  test(`a table with ${name} names its columns`, () => {
    const lines = [
      ['Model', 'Prompt', 'Aspect ratio', 'Size', 'seed', ''],
      ['Fast', `"a ""red"" fox${separator}\nin snow"`, '16:9', '', '7', 'x'],
      ['', '', '', '', '', ''],
      ['', 'a hare'],
    ];
    const list = readList(`\ufeff${lines.map((line) => line.join(separator)).join('\r\n')}\r\n`);
    assert.deepEqual(list, {
      rows: [
        {
          ...{ prompt: `a "red" fox${separator}\nin snow`, model: 'Fast', ratio: '16:9', resolution: '' },
          more: { seed: '7' },
        },
        { prompt: 'a hare', model: '', ratio: '', resolution: '', more: {} },
      ],
      more: ['seed'],
    });
  });
}

test('a prompt in the last column keeps its commas without quotes', () => {
  // Excel saves a table like this where semicolons separate cells.
  assert.deepEqual(promptsOf('prompt\r\na lighthouse, no people, oil; wide\r\n\r\na hare,,\r\n'), [
    'a lighthouse, no people, oil; wide',
    'a hare',
  ]);
  assert.deepEqual(promptsOf('model,prompt\nnb,a fox, red\n,"a hare, grey"\nnb\n'), [
    'a fox, red',
    'a hare, grey',
    '',
  ]);
  assert.deepEqual(promptsOf('prompt,\na cat, on a mat\n'), ['a cat, on a mat']);
});

test('a row with more cells than the header is refused, because its prompt may be cut off', () => {
  assert.deepEqual(promptsOf('prompt,mood\na hare,calm\na fox, red, glad\n'), {
    wrong: 'Row 3 has more cells than the header. Put its prompt in quotes.',
  });
});

test('a table of prompts alone is one, and a quote that is not closed is told', () => {
  assert.deepEqual(promptsOf('Prompt\na fox\na hare'), ['a fox', 'a hare']);
  assert.deepEqual(promptsOf('prompt,model\n"a fox,nb\n'), {
    wrong: 'A quote is not closed, or not at the end of its cell.',
  });
});
