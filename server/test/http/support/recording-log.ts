import type { Log } from '../../../src/base/std/log.ts';
import { silentLog } from '../../world/silent-log.ts';

export interface RecordingLog extends Log {
  lines: string[];
  has(event: string): boolean;
}

export function createRecordingLog(): RecordingLog {
  const lines: string[] = [];
  const write = (event: string, fields: object = {}) => lines.push(`${event} ${JSON.stringify(fields)}`);
  return {
    ...silentLog,
    debug: write,
    info: write,
    warn: write,
    error: write,
    enabled: () => true,
    lines,
    has: (event) => lines.some((line) => line.startsWith(`${event} `)),
  };
}
