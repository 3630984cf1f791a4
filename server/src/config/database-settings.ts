import { usualConnections } from '../base/db/connect.ts';
import { SettingError } from '../errors.ts';

type Environment = Record<string, string | undefined>;

export interface DatabaseSettings {
  /** Undefined for SQLite. */
  databaseUrl: string | undefined;
  /** The URL of the PostgreSQL server itself, if `databaseUrl` is that of a transaction pooler. */
  databaseDirectUrl: string | undefined;
  /** The URL of a replica, for lists and figures. */
  databaseReadUrl: string | undefined;
  databaseConnections: number;
}

/** A worker mostly waits. It needs a connection for queries, one for listening, and one for a report or upkeep. */
const usualOfWorkers = 3;
const mostConnections = 100;

/** @throws SettingError */
export function readDatabase(env: Environment, { isWorker }: { isWorker: boolean }): DatabaseSettings {
  const databaseUrl = readUrl(env, 'DATABASE_URL', 'leave it out for the embedded SQLite database');
  const databaseReadUrl = readUrl(env, 'DATABASE_READ_URL', 'only a replica of PostgreSQL can be read');
  if (databaseReadUrl && !databaseUrl)
    throw new SettingError(
      'DATABASE_READ_URL is for a replica of PostgreSQL, and the embedded SQLite database has none: set DATABASE_URL as well, or leave it out.',
    );
  return {
    databaseUrl,
    databaseReadUrl,
    databaseDirectUrl: readUrl(env, 'DATABASE_DIRECT_URL', 'only a pooler in front of PostgreSQL needs it'),
    databaseConnections: readConnections(
      env.DARKROOM_DATABASE_CONNECTIONS || String(isWorker ? usualOfWorkers : usualConnections),
    ),
  };
}

function readUrl(env: Environment, name: string, otherwise: string): string | undefined {
  const text = env[name] || undefined;
  if (text === undefined || /^postgres(ql)?:\/\//.test(text)) return text;
  throw new SettingError(`${name} must start with postgres:// ; ${otherwise}.`);
}

/** Reads a number of at least two, because one connection only listens. */
function readConnections(text: string): number {
  const connections = Number(text);
  if (/^\d+$/.test(text) && connections >= 2 && connections <= mostConnections) return connections;
  throw new SettingError(
    `DARKROOM_DATABASE_CONNECTIONS is "${text}"; it must be a whole number from 2 to ${mostConnections}.`,
  );
}
