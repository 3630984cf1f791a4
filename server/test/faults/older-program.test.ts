import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { findOlderCommit } from '../../faults/harm/older-program.ts';
import { migrations } from '../../src/base/db/migrating/migrate.ts';
import { openOlderFiles } from '../db/support/older-program.ts';

const commit = findOlderCommit();

test('the harness’s older program knows every schema change that does more than add', {
  skip: commit ? false : 'NO HISTORY: the older program is not in this copy',
}, async () => {
  assert.ok(commit);
  await using files = await openOlderFiles(commit);
  const older: { migrations: typeof migrations } = await import(
    join(files.path, 'server/src/base/db/migrating/migrate.ts')
  );
  const changes = migrations.slice(older.migrations.length).filter(({ isExpansion }) => !isExpansion);
  assert.deepEqual(
    changes.map(({ name }) => name),
    [],
    'a later commit must take its place',
  );
});
