import type { Log } from '../../src/base/std/log.ts';

/** For tests of what is done, not of what is told. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  enabled: () => false,
  flush: () => {},
};
