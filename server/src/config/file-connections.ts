import { readFileSync } from 'node:fs';
import { SettingError } from '../errors.ts';
import type { Connection } from '../upstream/connections/connection.ts';
import type { ProviderKind } from '../upstream/providers/providers.ts';
import type { ConfigFile } from './config-file.ts';

type Entry = NonNullable<ConfigFile['connections']>[string];

/** @throws SettingError */
export function readConnections(
  { connections = {} }: ConfigFile,
  env: Record<string, string | undefined>,
): ReadonlyMap<string, Connection> {
  return new Map(
    Object.entries(connections).map(([name, entry]) => {
      const credential = readCredential(name, entry, env);
      const credentialFrom = entry.keyVariable ?? entry.keyFile;
      const connection: Connection = {
        name,
        provider: entry.provider as ProviderKind, // checked with the file
        ...(entry.baseUrl !== undefined && { baseUrl: entry.baseUrl }),
        ...(credential !== undefined && { credential }),
        source: 'file',
        ...(credentialFrom !== undefined && { credentialFrom }),
      };
      return [name, connection];
    }),
  );
}

function readCredential(
  name: string,
  { keyFile, keyVariable }: Entry,
  env: Record<string, string | undefined>,
): string | undefined {
  if (keyFile !== undefined && keyVariable !== undefined)
    throw new SettingError(
      `DARKROOM_CONFIG: the connection ${name} has both keyFile and keyVariable; leave one out.`,
    );
  if (keyVariable !== undefined) {
    const text = env[keyVariable];
    if (text) return text;
    throw new SettingError(
      `DARKROOM_CONFIG: the connection ${name} takes its key from ${keyVariable}, which is not set.`,
    );
  }
  if (keyFile === undefined) return undefined;
  try {
    return readFileSync(keyFile, 'utf8').trim();
  } catch (error) {
    throw new SettingError(
      `DARKROOM_CONFIG: the key of the connection ${name} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}
