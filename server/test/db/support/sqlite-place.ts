import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { sql } from 'kysely';
import { connect } from '../../../src/base/db/connect.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { systemClock } from '../../../src/base/std/clock.ts';
import { temporaryFolder } from '../../faults/support/server.ts';

export const open = (dataDir: string) => connect({ url: undefined, dataDir, clock: systemClock });

export async function run(database: Database, ...statements: string[]): Promise<void> {
  await database.transaction(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });
}

export async function firstOf(database: Database, query: string): Promise<unknown> {
  const { rows } = await database.transaction((tx) => sql.raw<object>(query).execute(tx));
  return Object.values(rows[0] ?? {})[0];
}

export function makePlace() {
  const folder = temporaryFolder();
  const file = join(folder.path, 'darkroom.db');
  return { dataDir: folder.path, file, log: `${file}-wal`, [Symbol.dispose]: folder[Symbol.dispose] };
}

export function openIn(folder: string): string[] {
  const own = '/proc/self/fd';
  if (!existsSync(own)) return [];
  return readdirSync(own).flatMap((fd) => {
    try {
      const path = readlinkSync(join(own, fd));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // the descriptor of the listed folder itself
    }
  });
}

export function hurry(stepMs: number) {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  return mock.method(performance, 'now', () => {
    passedMs += stepMs;
    return now() + passedMs;
  });
}
