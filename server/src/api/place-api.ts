import type { FastifyRequest } from 'fastify';
import { assertMayUse } from '../accounts/authenticate.ts';
import type { ApiKey } from '../accounts/key-store.ts';
import type { Catalogue } from '../catalog/catalogue.ts';
import { bearerToken } from '../http/bearer.ts';
import { type ApiRequest, type ApiRow, apiPrefix } from './api-call.ts';
import { schemaOf } from './describe-call.ts';
import type { Entrance } from './entrance.ts';
import { findNamedModel } from './named-model.ts';
import { placeMaking } from './place-making.ts';
import type { PlacedCall } from './register-calls.ts';

export interface PlaceApiDeps {
  catalogue: Catalogue;
  entrance: Entrance;
}

/** Where keys and client tokens make a call. */
export function placeApi(
  { method, path, access, call }: ApiRow,
  { entrance, catalogue }: PlaceApiDeps,
): PlacedCall {
  const { body: _, ...described } = schemaOf(call);
  const assertModel = (request: FastifyRequest, key: ApiKey) => {
    request.model = findNamedModel(request, catalogue);
    assertMayUse(key, request.model.id);
  };
  return {
    method,
    url: apiPrefix + path,
    // The schema of a body that the handler reads is only documentation.
    schema: call.content ? described : schemaOf(call),
    ...call,
    takesFile: call.content !== undefined,
    listOf: ({ apiKey }) => apiKey.accountId,
    ...placeMaking(call, apiPrefix, ({ apiKey }) => apiKey.clientToken?.id ?? apiKey.id),
    admit(request, reply) {
      const key = entrance.admit(request, reply, bearerToken, access !== 'any key');
      if (key instanceof Promise)
        return access === 'its model' ? key.then((known) => assertModel(request, known)) : key;
      if (access === 'its model') assertModel(request, key);
      return undefined;
    },
    handle: (request, reply) => call.handle(request as ApiRequest, reply), // its schemas have validated it
  };
}
