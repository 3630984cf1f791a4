import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { newSpan, parseTraceparent, requestIdOf } from '../tracing/trace-context.ts';

// A random id of the process plus a counter is as unique as a random id, and takes a hundredth of the time.
const processId = randomBytes(9).toString('base64url');
let requests = 0;

export function nextRequestId(): string {
  requests += 1;
  return `req_${processId}${requests.toString(36)}`;
}

/** Makes request ids. A traced request's id is its place in the trace. A `share` of the others begin a trace. */
export function createTracedIds(share: number): (request: IncomingMessage) => string {
  return ({ headers: { traceparent } }) => {
    const begun = parseTraceparent(typeof traceparent === 'string' ? traceparent : undefined);
    const isLeftOut = begun === 'unsampled' || (begun === undefined && Math.random() >= share);
    return isLeftOut ? nextRequestId() : requestIdOf(newSpan(begun));
  };
}
