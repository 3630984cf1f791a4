import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { createDatabase } from '../../world/databases.ts';

const released = join(import.meta.dirname, '../released');

export async function openReleased(version: string) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'darkroom-released-')));
  const database = await createDatabase({ empty: true });
  stack.defer(async () => database?.drop());
  const schema = await readFile(join(released, `${version}.${database ? 'postgres' : 'sqlite'}.sql`), 'utf8');
  const rows = await readFile(join(released, `${version}.rows.sql`), 'utf8');
  const text = schema + rows.replaceAll('NOW', String(Date.now()));
  if (database) {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(text).finally(() => client.end());
  } else {
    using file = new DatabaseSync(join(folder.path, 'darkroom.db'));
    file.function('now_ms', () => Date.now());
    file.exec(text);
  }
  const env = {
    PORT: '0',
    DARKROOM_DATA_DIR: folder.path,
    DARKROOM_RENDITIONS: 'on-demand',
    ...(database && { DATABASE_URL: database.url }),
  };
  const kept = stack.move();
  return { env, url: database?.url, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
