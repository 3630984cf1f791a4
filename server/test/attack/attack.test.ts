import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAttack } from '../../attack/run-attack.ts';
import { createDatabase } from '../world/databases.ts';
import { mostTurnMs } from './most-turn-ms.ts';

// The short form of `npm run attack`: every call, every caller, ids of others, and every fault of a body as JSON.

test('nobody gets more than they may, changes what they may not, or ends the server', async (context) => {
  const attack = await runAttack({ database: await createDatabase(), extent: 'short', mostTurnMs });
  context.diagnostic(`longest turn of the loop: ${attack.longestTurnMs.toFixed(1)} ms`);
  assert.ok(attack.ok, attack.text);
});
