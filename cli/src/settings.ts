import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { fileTrouble } from './files/file-trouble.ts';

export interface ClientSettings {
  url: string;
  key: string;
}

/** Reads the environment, or else the file that the server writes at its first start. */
export async function readClientSettings(env: NodeJS.ProcessEnv): Promise<ClientSettings> {
  const { DARKROOM_URL: url, DARKROOM_API_KEY_FILE: keyFile } = env;
  const key = env.DARKROOM_API_KEY || (keyFile && (await readKeyFile(keyFile)));
  if (url && key) return { url, key };

  const folder = dataFolder(env);
  if (folder === undefined) throw notSet(url);
  const file = join(folder, 'client.json');
  const saved = await readSettingsFile(file);
  if (key) {
    if (saved !== undefined) return { url: saved.url, key };
    throw new CliError(exitCodes.usage, 'DARKROOM_URL is not set.', 'set it to the address of the server');
  }
  if (saved === undefined) {
    throw new CliError(
      exitCodes.usage,
      `There is no API key: DARKROOM_API_KEY is not set and ${file} does not exist.`,
      'start the server once on this machine (npm start, or darkroom serve), or set DARKROOM_URL and DARKROOM_API_KEY',
    );
  }
  // The file's key belongs to the local server and must not be sent to another.
  if (url && originOf(url) !== originOf(saved.url)) {
    throw new CliError(
      exitCodes.usage,
      `DARKROOM_API_KEY is not set, and the key in ${file} is for ${saved.url}, not for ${url}.`,
      'set DARKROOM_API_KEY to a key of that server',
    );
  }
  return { url: url || saved.url, key: saved.key };
}

function notSet(url: string | undefined): CliError {
  return new CliError(
    exitCodes.usage,
    url ? 'There is no API key: DARKROOM_API_KEY is not set.' : 'DARKROOM_URL is not set.',
    'set DARKROOM_URL to the address of the server, and DARKROOM_API_KEY to one of its keys',
  );
}

async function readKeyFile(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CliError(
      exitCodes.usage,
      `DARKROOM_API_KEY_FILE cannot be read: ${fileTrouble(error)}.`,
      'name a file that holds an API key',
    );
  });
  return text.trim();
}

/** The data folder of this command's server; undefined in the clients' package unless the environment names one. */
function dataFolder(env: NodeJS.ProcessEnv): string | undefined {
  if (env.DARKROOM_DATA_DIR) return resolve(env.DARKROOM_DATA_DIR);
  const root = resolve(import.meta.dirname, '../..');
  if (existsSync(join(root, 'server/src/main.ts'))) return join(root, 'data');
  return existsSync(join(root, 'panel/dist')) ? resolve('data') : undefined;
}

async function readSettingsFile(file: string): Promise<ClientSettings | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new CliError(
      exitCodes.usage,
      `${file} cannot be read: ${fileTrouble(error)}.`,
      'check its permissions',
    );
  });
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value !== undefined) return value;
  throw new CliError(
    exitCodes.usage,
    `${file} is not a JSON object with "url" and "key".`,
    'remove the file and start the server again, or set DARKROOM_URL and DARKROOM_API_KEY',
  );
}

function parse(text: string): ClientSettings | undefined {
  try {
    const { url, key } = JSON.parse(text);
    return typeof url === 'string' && typeof key === 'string' ? { url, key } : undefined;
  } catch {
    return undefined;
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

const apiPath = '/api/v1';

/** Returns the server's own URL from `DARKROOM_URL`, which may name the server or its API. @throws CliError */
export function rootOf(url: string): URL {
  if (!URL.canParse(url))
    throw new CliError(
      exitCodes.usage,
      `DARKROOM_URL is not an address: ${url}.`,
      'set it to the address of the server',
    );
  const address = new URL(url);
  const path = address.pathname.replace(/(?<!\/)\/+$/, '');
  address.pathname = path.endsWith(apiPath) ? path.slice(0, -apiPath.length) : path;
  return address;
}
