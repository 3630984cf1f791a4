import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prettyLine } from '../../src/base/std/pretty-line.ts';

const line = (fields: object, level = 30) =>
  JSON.stringify({ level, time: '2026-11-22T12:03:07.041Z', ...fields, event: 'attempt.finished' });

test('a line for people has the time, what happened, and its fields as words', () => {
  assert.equal(
    prettyLine(line({ job_id: '0198', ms: 2.5, reason: 'no room, sorry', next: null }), false),
    '  12:03:07.041 attempt.finished job_id=0198 ms=2.5 reason="no room, sorry" next=null\n',
  );
  assert.match(prettyLine(line({}, 40), false), /^! 12:03/);
  assert.match(prettyLine(line({}, 50), false), /^✗ 12:03/);
  assert.match(prettyLine(line({}, 20), false), /^· 12:03/);
});

test('texts of several lines come below; nothing that a client sends moves the cursor or sets colours', () => {
  const text = prettyLine(
    line({ ms: 1, cause: 'Error: bad\n    at\u001b[31m here', path: '/a\u001b[2J\u202e' }),
    false,
  );
  assert.equal(
    text,
    '  12:03:07.041 attempt.finished ms=1 path="/a\\u001b[2J"\n    cause:\n      Error: bad\n          at[31m here\n',
  );
});

test('colour is only for terminals', () => {
  const { ESC } = { ESC: '\u001b[' };
  assert.ok(!prettyLine(line({ ms: 1 }, 50), false).includes(ESC));
  assert.ok(prettyLine(line({ ms: 1 }, 50), true).startsWith(`${ESC}31m✗`));
});
