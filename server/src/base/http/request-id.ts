import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { newSpan, parseTraceparent, requestIdOf } from '../tracing/trace-context.ts';

// A random id per process plus a counter, as unique as random ids at a hundredth of the cost.
const processId = randomBytes(9).toString('base64url');
let requests = 0;

export function nextRequestId(): string {
  requests += 1;
  return `req_${processId}${requests.toString(36)}`;
}

/** Uses a traced request's place in its trace as its id. A `share` of the requests without a trace begin one. */
export function createTracedIds(share: number): (request: IncomingMessage) => string {
  return ({ headers: { traceparent } }) => {
    const begun = parseTraceparent(typeof traceparent === 'string' ? traceparent : undefined);
    const isLeftOut = begun === 'unsampled' || (begun === undefined && Math.random() >= share);
    return isLeftOut ? nextRequestId() : requestIdOf(newSpan(begun));
  };
}
