import { newIdempotencyKey } from './idempotency-key.ts';
import { createPath } from './paths.ts';
import { send, type Transport } from './send.ts';
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
  { idempotencyKey = newIdempotencyKey(), waitSeconds = 0, signal }: Options,
): Promise<JobCreated> {
  return send<JobCreated>(transport, {
    method: 'POST',
    path: createPath(model, request),
    headers: {
      'idempotency-key': idempotencyKey,
      ...(waitSeconds > 0 && { prefer: `wait=${waitSeconds}` }),
    },
    extraTimeMs: waitSeconds * 1000,
    body: request,
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
