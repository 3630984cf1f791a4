import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runAttack } from '../../attack/run-attack.ts';
import { mostTurnMs } from './most-turn-ms.ts';

// The attack's findings do not depend on the database, so this test uses SQLite, and `npm test` runs it once.

const fileHere = (name: string) => pathToFileURL(join(import.meta.dirname, name)).href;

test('the attack finds each kind of hole', async () => {
  const { wrongs, crashes, ok } = await runAttack({
    database: undefined,
    extent: 'short',
    mostTurnMs,
    plant: fileHere('plant-holes-child.ts'),
    only: /forgotten|^GET .*(account_id\/overview|v1\/jobs\/:job_id)$|pauses\/:scope$|webhooks\/:endpoint_id\/test$/,
  });
  assert.equal(ok, false);
  const found = (pattern: RegExp) =>
    assert.ok(
      wrongs.some((one) => pattern.test(one)),
      `${pattern}: ${wrongs.join('\n')}`,
    );
  found(/^GET \/panel\/forgotten is a call of which .* does not say who may make it/);
  found(/^GET \/panel\/forgotten stands in no table/);
  found(/^GET \/panel\/accounts\/:account_id\/overview answered \d+.*not 403 role_forbidden \(.*billing/);
  found(/^PUT \/admin\/v1\/pauses\/:scope refused and changed settings/);
  found(/^GET \/api\/v1\/jobs\/:job_id tells what another account has/);
  assert.match(crashes.join('\n'), /planted/);
});

test('a long event-loop turn makes the attack fail, and the report says where', async () => {
  const { text, wrongs, crashes, longestTurnMs, ok } = await runAttack({
    database: undefined,
    extent: 'short',
    mostTurnMs,
    plant: fileHere('plant-turn-child.ts'),
    only: /^POST \/api.*webhooks\/:endpoint_id\/test$/,
  });
  assert.deepEqual({ wrongs, crashes, ok }, { wrongs: [], crashes: [], ok: false });
  assert.ok(longestTurnMs > mostTurnMs, text);
  assert.match(
    text,
    /Longest turns of the loop:\n {2}\d{3,}\.\d ms in POST \/api\/v1\/webhooks\/[\w-]+\/test/,
  );
});
