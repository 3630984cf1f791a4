import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config/config.ts';
import type { Document } from './api-types.ts';

export interface Served {
  /** The OpenAPI documents, by the prefix of their API. */
  documents: Record<'/api/v1' | '/admin/v1', Document>;
  /** The server's data folder. Disposing removes it. */
  dataDir: string;
}

export async function readServed(): Promise<Served & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-served-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const app = stack.use(
    await startApp(readConfig({ PORT: '0', DARKROOM_DATA_DIR: dataDir, DARKROOM_LOG_LEVEL: 'silent' })),
  );
  const read = async (prefix: string) =>
    (await (await fetch(`${app.url}${prefix}/openapi.json`)).json()) as Document; // our documents have that shape
  const documents = { '/api/v1': await read('/api/v1'), '/admin/v1': await read('/admin/v1') };
  const kept = stack.move();
  return { documents, dataDir, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
