import type { FastifyInstance, FastifyRequest } from 'fastify';
import { wrongField } from './door-errors.ts';

/**
 * Refuses unknown parameters: if `?dry_run=true`, for example, were ignored, the client would pay for an image. `known`
 * are the parameters that programs always send.
 */
export function refuseUnknownQuery(scope: FastifyInstance, known: readonly string[]): void {
  scope.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.is404) return done();
    const unknown = queryNames(request).find((name) => !known.includes(name));
    if (unknown === undefined) return done();
    const name = unknown.slice(0, 100);
    done(wrongField(`/query/${name}`, `This address has no parameter "${name}"; leave it out.`));
  });
}

function queryNames({ query }: FastifyRequest): string[] {
  return typeof query === 'object' && query !== null ? Object.keys(query) : [];
}
