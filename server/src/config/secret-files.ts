import { readFileSync } from 'node:fs';
import { SettingError } from '../errors.ts';

type Environment = Record<string, string | undefined>;

const suffix = '_FILE';

/**
 * Reads `NAME` from the file that `NAME_FILE` names, as orchestrators mount secrets. An empty variable counts as not set.
 * @throws SettingError
 */
export function readSecretFiles(env: Environment, names: readonly string[]): Environment {
  const given = names.filter((name) => env[name + suffix] !== undefined);
  if (given.length === 0) return env;
  const result = { ...env };
  for (const name of given) {
    delete result[name + suffix];
    const path = env[name + suffix];
    if (!path) continue;
    if (env[name]) throw new SettingError(`${name} and ${name}${suffix} are both set; set one of them.`);
    result[name] = readValue(name + suffix, path);
  }
  return result;
}

function readValue(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/(?<![\r\n])[\r\n]+$/, '');
  } catch (error) {
    throw new SettingError(
      `${name}: ${path} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
  if (text === '') throw new SettingError(`${name}: ${path} is empty.`);
  return text;
}
