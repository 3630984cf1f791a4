import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAttack } from '../../attack/run-attack.ts';
import { createDatabase } from '../world/databases.ts';
import { mostTurnMs } from './most-turn-ms.ts';

// The short form of `npm run attack`: every call, every caller, other accounts' ids, and every fault in a JSON body.

test('no caller gets or changes more than it may, or crashes the server', async (context) => {
  const attack = await runAttack({ database: await createDatabase(), extent: 'short', mostTurnMs });
  context.diagnostic(`longest turn of the loop: ${attack.longestTurnMs.toFixed(1)} ms`);
  assert.ok(attack.ok, attack.text);
});
