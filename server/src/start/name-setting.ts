import { DatabaseUnavailable } from '../base/db/database.ts';
import type { Config } from '../config/config.ts';
import { SettingError } from '../errors.ts';
import { reasonOf } from '../images/disk/disk-error.ts';
import { StoreError } from '../images/image-store.ts';

export function nameSetting(error: unknown, config: Config): unknown {
  const { http, dataDir, databaseUrl, storage } = config;
  const { host, healthPort } = http;
  if (error instanceof StoreError) {
    const isOwnFolder = storage.kind === 'disk' && storage.folder === undefined;
    return new SettingError(`${isOwnFolder ? 'DARKROOM_DATA_DIR' : 'DARKROOM_STORAGE'}: ${error.message}.`);
  }
  if (error instanceof DatabaseUnavailable && databaseUrl !== undefined) {
    const cause = error.cause instanceof Error ? ` (${error.cause.message || String(error.cause)})` : '';
    return new SettingError(`the database of DATABASE_URL does not answer${cause}.`);
  }
  if (!(error instanceof Error)) return error;
  const { code, syscall, path, port } = error as NodeJS.ErrnoException & { port?: number }; // its fields are optional
  const listens = syscall === 'listen' || syscall === 'bind';
  const setting = `${port !== undefined && port === healthPort ? 'DARKROOM_HEALTH_PORT' : 'PORT'} ${port ?? http.port}`;
  if (code === 'EADDRINUSE') return new SettingError(`${setting} of ${host} is in use by another program.`);
  if (listens && code === 'EACCES')
    return new SettingError(`${setting} needs more rights than this user has.`);
  if (listens || syscall === 'getaddrinfo')
    return new SettingError(`HOST is "${host}", which is not an address of this machine (${code}).`);
  if (path?.startsWith(dataDir))
    return new SettingError(
      `DARKROOM_DATA_DIR: ${path} cannot be used: ${reasonOf(code ?? 'no code')}. Name a folder that this user may write.`,
    );
  return error;
}
