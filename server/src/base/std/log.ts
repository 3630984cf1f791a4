import { type DestinationStream, destination, pino } from 'pino';
import { prettyLine } from './pretty-line.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ['json', 'pretty'] as const;
export type LogFormat = (typeof logFormats)[number];

/** Writes one line per unit of work: an event's name and fields. They hold no secrets, and prompts only at `debug`. */
export interface Log {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
  /** Whether lines of this level are written. If not, callers can skip work for the log. */
  enabled(level: LogLevel): boolean;
  flush(): void;
}

// The size of a block of lines. If the reader stops, lines beyond `maxWaitingBytes` are lost; no request is blocked.
const bufferBytes = 4_096;
const maxWaitingBytes = 1_048_576;
const flushEveryMs = 1_000;

export function createLog({ level, format }: { level: LogLevel; format: LogFormat }): Log {
  const logger = pino(
    { level, base: null, messageKey: 'event', timestamp: pino.stdTimeFunctions.isoTime },
    format === 'pretty' ? prettyStream() : bufferedStream(),
  );
  return {
    debug: (event, fields = {}) => logger.debug(fields, event),
    info: (event, fields = {}) => logger.info(fields, event),
    warn: (event, fields = {}) => logger.warn(fields, event),
    error: (event, fields = {}) => logger.error(fields, event),
    enabled: (wanted) => logger.isLevelEnabled(wanted),
    flush: () => logger.flush(),
  };
}

/** Flushes while lines wait. The library's own timer would wake an idle process every second to write nothing. */
function bufferedStream(): DestinationStream & { flush(onFlushed?: () => void): void } {
  const stream = destination({
    ...{ fd: 1, sync: false },
    ...{ minLength: bufferBytes, maxLength: maxWaitingBytes },
  });
  // The number of unwritten bytes has no public name. Without `_len`, the timer never stops, but no line is late.
  const isAllWritten = () => (stream as { _len?: number })._len === 0;
  let isTimed = false;
  function flushLater(): void {
    if (isTimed) return;
    isTimed = true;
    setTimeout(flush, flushEveryMs).unref();
  }
  function flush(): void {
    isTimed = false;
    if (isAllWritten()) return;
    stream.flush(); // does not sync the file that standard output may be
    flushLater();
  }
  return {
    write(line) {
      stream.write(line);
      flushLater();
    },
    flush: (onFlushed) => stream.flush(onFlushed),
  };
}

function prettyStream(): DestinationStream {
  const isColoured = process.stdout.isTTY === true && process.stdout.hasColors();
  return { write: (line) => process.stdout.write(prettyLine(line, isColoured)) };
}
