import { DatabaseFull, DatabaseRefused, DatabaseUnavailable } from '../database.ts';

const codes = {
  busy: 5,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
};

/** Returns SQLite's primary error code; 0 for an error that is not SQLite's. */
function codeOf(error: unknown): number {
  const { errcode } = Object(error) as { errcode?: unknown }; // a property of SQLite's errors
  return Number(errcode) & 0xff; // the low byte is the primary code, the rest a subcode
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === codes.busy;
}

export function cannotOpen(file: string, cause: unknown): DatabaseRefused {
  return new DatabaseRefused(`Cannot open ${file}: check that its folder exists and may be written.`, {
    cause,
  });
}

/** Maps a SQLite error to ours if the machine caused it, not our program. `file` is the file being opened, if any. */
export function translate(error: unknown, file?: string): unknown {
  switch (codeOf(error)) {
    case codes.busy:
      return new DatabaseUnavailable('Another process keeps the database locked.', { cause: error });
    case codes.full:
      return new DatabaseFull('The disk with the database is full.', { cause: error });
    case codes.readonly:
      return new DatabaseUnavailable('The database cannot be written.', { cause: error });
    case codes.io:
      return new DatabaseUnavailable('Reading or writing the database failed.', { cause: error });
    case codes.cantOpen:
      if (file === undefined)
        return new DatabaseUnavailable('The database opens no more files.', { cause: error });
      return cannotOpen(file, error);
    case codes.corrupt:
    case codes.notADatabase:
      return new DatabaseRefused(`${file ?? 'The database file'} is not a usable SQLite database.`, {
        cause: error,
      });
    default:
      return error;
  }
}
