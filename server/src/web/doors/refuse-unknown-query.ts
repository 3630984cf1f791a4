import type { FastifyInstance, FastifyRequest } from 'fastify';
import { wrongField } from './door-errors.ts';

/** An ignored parameter, such as `?dry_run=true`, would cost an image. `known` are those that programs always send. */
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
