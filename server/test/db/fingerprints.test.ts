import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { fingerprintOf } from '../../src/base/db/migrating/check-migrated.ts';
import { migrate, migrations } from '../../src/base/db/migrating/migrate.ts';
import { postgresDialect, sqliteDialect } from '../../src/base/db/migrations/dialect.ts';
import { openInstallation } from '../processes/support/installation.ts';
import { runServerProcess } from '../processes/support/server-process.ts';
import { createDatabase } from '../world/databases.ts';

async function changed(...statements: string[]) {
  const place = await openInstallation(await createDatabase());
  await place.database.transaction(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });
  return place;
}

const noFingerprints = 'alter table migrations drop column fingerprint';
const sentence = (what: string) =>
  new RegExp(`^Darkroom cannot start: The database claims to be migrated, but ${what}: [^\\n]+\\n$`);

test('an early database that lacks a column is refused with a sentence that says what to do', async () => {
  await using place = await changed(noFingerprints, 'alter table endpoints drop column failing_since');
  const { code, stderr } = await runServerProcess(place.env);
  assert.equal(code, 1);
  assert.match(stderr, sentence('it has no endpoints.failing_since'));
  assert.match(
    stderr,
    /Restore a backup of it, start the version that made it, or begin again with an empty/,
  );
});

test('a database that other migrations with the same numbers made is refused', async () => {
  await using place = await changed(
    `update migrations set fingerprint = '0123456789abcdef' where version = 2`,
  );
  const { code, stderr } = await runServerProcess(place.env);
  assert.equal(code, 1);
  assert.match(stderr, sentence('its migration 2 is not the one of this program'));
});

test('a correct database without fingerprints is checked once, and gets them', async () => {
  await using place = await changed(noFingerprints);
  await migrate(place.database);
  const rows = await place.database.read
    .selectFrom('migrations')
    .select('fingerprint')
    .orderBy('version')
    .execute();
  const dialect = place.database.kind === 'sqlite' ? sqliteDialect : postgresDialect;
  assert.deepEqual(
    rows.map(({ fingerprint }) => fingerprint),
    migrations.map((migration) => fingerprintOf(migration, dialect)),
  );
});
