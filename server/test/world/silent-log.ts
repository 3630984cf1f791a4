import type { Log } from '../../src/base/std/log.ts';

/** A log for tests of what the code does, not of what it logs. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  enabled: () => false,
  flush: () => {},
};
