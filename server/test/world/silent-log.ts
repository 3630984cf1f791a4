import type { Log } from '../../src/base/std/log.ts';

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  enabled: () => false,
  flush: () => {},
};
