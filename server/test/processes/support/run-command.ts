import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, resolve } from 'node:path';
import type { Installation } from './installation.ts';

const root = resolve(import.meta.dirname, '../../../..');

/** The PATH of a user without the project's own Node. */
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

export async function runCommand(
  { env }: Pick<Installation, 'env'>,
  [file = '', ...args]: string[],
  more: Record<string, string> = {},
) {
  const child = spawn(file, args, {
    cwd: root,
    env: {
      PATH: path,
      HOME: process.env.HOME,
      PORT: '0',
      DARKROOM_SHUTDOWN_DELAY_SECONDS: '0',
      ...env,
      ...more,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  let said = '';
  const ready = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (/is running\.|from another terminal/.test(said))
      ready.resolve(/API +(\S+)\/api\/v1/.exec(said)?.[1] ?? '');
  });
  // `close` instead of `exit`, because the server shares the output, and may outlive the started process.
  const gone = once(child, 'close').then(() => said);
  void gone.then(() => ready.reject(new Error(`it ended: ${said}`)));
  return { child, url: await ready.promise, gone };
}
