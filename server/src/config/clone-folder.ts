import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** The folder of the clone that this program runs from; null if it was installed as a package, without its sources. */
export const cloneFolder: string | null = existsSync(join(root, 'server/src/main.ts')) ? root : null;
