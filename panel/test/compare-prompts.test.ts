import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparePrompts } from '../src/features/lineage/compare-prompts.ts';

/** `-gone-`, `+come+` */
function compared(before: string, after: string): string | undefined {
  const signs = { same: '', gap: '', added: '+', removed: '-' };
  return comparePrompts(before, after)
    ?.map(({ kind, text }) => `${signs[kind]}${text.trimEnd()}${signs[kind]}`)
    .join(' ');
}

test('what changed between two prompts is shown with the words beside it, and no more', () => {
  assert.equal(compared('a cliff at dusk', 'a cliff at dawn'), 'a cliff at -dusk- +dawn+');
  assert.equal(compared('a cliff at dusk', 'a white cliff at dusk, fog'), 'a +white+ cliff at dusk +, fog+');
  assert.equal(
    compared('one two three four five six', 'two three four five seven'),
    '-one- two three four five -six- +seven+',
  );
  assert.equal(
    compared(
      'in the far north of the old country stands a house',
      'in the far north of the old country stands a tower',
    ),
    '… country stands a -house- +tower+',
  );
  assert.equal(compared('a fox\nat night', 'a fox at night'), 'a fox at night');
});

test('signs and scripts without spaces are told apart', () => {
  assert.equal(compared('heavy storm', 'heavy storm, lightning'), 'heavy storm +, lightning+');
  assert.equal(compared('夜の灯台', '朝の灯台'), '-夜- +朝+ の灯台');
});

test('prompts that have little in common are not compared', () => {
  assert.equal(compared('a red fox in the snow', 'a city by night, seen from above'), undefined);
  assert.equal(compared('', 'a city'), undefined);
});
