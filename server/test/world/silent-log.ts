import type { Log } from '../../src/base/std/log.ts';

/** A log that drops its lines. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  enabled: () => false,
  flush: () => {},
};
