import { type Config, ConfigError } from './config.ts';
import { DatabaseUnavailable } from './db/database.ts';

/** What the world refuses at the start, as a sentence that names the setting behind it. */
export function nameSetting(error: unknown, { http: { host, port }, dataDir }: Config): unknown {
  if (error instanceof DatabaseUnavailable) {
    const cause = error.cause instanceof Error ? ` (${error.cause.message || String(error.cause)})` : '';
    return new ConfigError(`the database of DATABASE_URL does not answer${cause}.`);
  }
  if (!(error instanceof Error)) return error;
  const { code, syscall, path } = error as NodeJS.ErrnoException; // its fields are optional
  if (code === 'EADDRINUSE') return new ConfigError(`PORT ${port} of ${host} is in use by another program.`);
  if (syscall === 'listen' && code === 'EACCES')
    return new ConfigError(`PORT ${port} needs more rights than this user has.`);
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return new ConfigError(`HOST is "${host}", which is no address of this machine (${code}).`);
  if (path?.startsWith(dataDir))
    return new ConfigError(`DARKROOM_DATA_DIR: ${path} cannot be used (${code}).`);
  return error;
}
