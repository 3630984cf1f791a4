import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openWorld } from '../world/world.ts';

const skip = process.env.TEST_DATABASE_URL ? false : 'needs PostgreSQL';

test('when a newer process changes a table beneath prepared statements, requests and jobs continue', {
  skip,
}, async () => {
  await using world = await openWorld();
  const known = await world.create();
  await world.finished(known);
  const newer = new pg.Client({ connectionString: world.config.databaseUrl });
  await newer.connect();
  try {
    await newer.query('alter table jobs add column later text');
    assert.equal((await world.send('GET', `/jobs/${known}`)).status, 200);
    const created = await world.create();
    assert.equal((await world.finished(created)).status, 'done');
  } finally {
    await newer.query('alter table jobs drop column later');
    await newer.end();
  }
});
