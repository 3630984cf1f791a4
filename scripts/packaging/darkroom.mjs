#!/usr/bin/env node
// The command of the installed package. Plain JavaScript that an older Node can also run, to say what is missing.
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(cacheFolder());
  await import('../lib/main.js');
} else {
  process.stderr.write(
    `darkroom: Node ${neededMajor} is needed and this is ${process.version}.\n  Next: install it from https://nodejs.org.\n`,
  );
  process.exitCode = 2;
}

/**
 * The cache is beside the program, or in the user's own folder if another user installed the program. Other users must
 * not be able to put code into it.
 */
function cacheFolder() {
  const program = dirname(dirname(fileURLToPath(import.meta.url)));
  try {
    accessSync(program, constants.W_OK);
    return join(program, '.cache');
  } catch {
    return join(homedir(), '.cache', 'darkroom');
  }
}
