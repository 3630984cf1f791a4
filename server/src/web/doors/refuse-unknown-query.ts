import type { FastifyInstance, FastifyRequest } from 'fastify';
import { wrongField } from './door-errors.ts';

/**
 * Refuses parameters that a door does not know: one that is ignored silently, such as `?dry_run=true`, costs an image.
 * `known` are those that programs send on their own, with or without effect. Checked after key and model, before the
 * body.
 */
export function refuseUnknownQuery(scope: FastifyInstance, known: readonly string[]): void {
  scope.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.is404) return done();
    const unknown = queryNames(request).find((name) => !known.includes(name));
    if (unknown === undefined) return done();
    const name = unknown.slice(0, 100);
    done(wrongField(`/query/${name}`, `There is no parameter "${name}" in the address here; leave it out.`));
  });
}

function queryNames({ query }: FastifyRequest): string[] {
  return typeof query === 'object' && query !== null ? Object.keys(query) : [];
}
