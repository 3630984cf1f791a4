import type { Log } from '../std/log.ts';
import { contextOf } from './trace-context.ts';

/** Adds the trace id to a traced request's log lines, so that log collectors can link the lines to the trace. */
export function withTraceIds(log: Log): Log {
  const wrap =
    (write: Log['info']): Log['info'] =>
    (event, fields = {}) => {
      const traced = 'request_id' in fields ? contextOf(String(fields.request_id)) : undefined;
      write(event, traced ? { ...fields, trace_id: traced.traceId } : fields);
    };
  return {
    ...log,
    debug: wrap(log.debug),
    info: wrap(log.info),
    warn: wrap(log.warn),
    error: wrap(log.error),
  };
}
