import { createPath, jobPath } from './paths.ts';
import { make, send, type Transport } from './send.ts';
import type { JobCreated, ModelId, Quote } from './types.ts';

interface Options {
  idempotencyKey?: string | undefined;
  waitSeconds?: number | undefined;
  signal?: AbortSignal | undefined;
}

export function create(
  transport: Transport,
  model: ModelId,
  request: object,
  options: Options,
): Promise<JobCreated> {
  return makeJob(transport, createPath(model, request), request, options);
}

export function again(transport: Transport, jobId: string, options: Options): Promise<JobCreated> {
  return makeJob(transport, againPath(jobId), undefined, options);
}

export function quoteAgain(
  transport: Transport,
  jobId: string,
  signal: AbortSignal | undefined,
): Promise<Quote> {
  return send<Quote>(transport, { method: 'POST', path: `${againPath(jobId)}?dry_run=true`, signal });
}

function againPath(jobId: string): string {
  return `${jobPath(jobId)}/again`;
}

function makeJob(
  transport: Transport,
  path: string,
  body: object | undefined,
  { idempotencyKey, waitSeconds = 0, signal }: Options,
): Promise<JobCreated> {
  return make<JobCreated>(transport, {
    path,
    idempotencyKey,
    ...(waitSeconds > 0 && { headers: { prefer: `wait=${waitSeconds}` } }),
    extraTimeMs: waitSeconds * 1000,
    body,
    signal,
  });
}

export function quote(
  transport: Transport,
  model: ModelId,
  request: object,
  signal: AbortSignal | undefined,
): Promise<Quote> {
  const path = `${createPath(model, request)}?dry_run=true`;
  return send<Quote>(transport, { method: 'POST', path, body: request, signal });
}
