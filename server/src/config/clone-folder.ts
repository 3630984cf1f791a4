import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** Null where the program was installed as a package, which has no sources. */
export const cloneFolder: string | null = existsSync(join(root, 'server/src/main.ts')) ? root : null;
