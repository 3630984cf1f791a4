import type { FastifyRequest } from 'fastify';
import type { CallDescription } from './api-call.ts';
import type { BoundCall } from './register-calls.ts';

/** `whoAsks` keeps the idempotency keys of different callers apart. */
export function bindMaking(
  { idempotency, makes }: CallDescription,
  prefix: string,
  whoAsks: (request: FastifyRequest) => string,
): Pick<BoundCall, 'locate'> & { idempotency: BoundCall['idempotency'] } {
  return {
    idempotency: idempotency === 'kept' ? { keptFor: whoAsks } : idempotency,
    ...(makes !== undefined && {
      locate: ({ params }, answer) => prefix + fill(makes, { ...asFields(params), ...asFields(answer) }),
    }),
  };
}

function fill(path: string, fields: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(fields[name] ?? ''));
}

function asFields(value: unknown) {
  return value as Record<string, string>;
}
