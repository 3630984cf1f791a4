import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertMayUse } from '../../accounts/authenticate.ts';
import { assertAccountEnabled } from '../../accounts/disable-account.ts';
import type { ApiKey } from '../../accounts/key-store.ts';
import { panelKey } from '../../accounts/panel-key.ts';
import type { Right } from '../../accounts/people/roles.ts';
import type { Viewer } from '../../accounts/sign-in/sessions.ts';
import { bearerToken } from '../../base/http/bearer.ts';
import type { Catalogue } from '../../upstream/catalog/catalogue.ts';
import { type ApiRequest, type ApiRow, apiPrefix } from './api-call.ts';
import { bindMaking } from './bind-making.ts';
import { checksOf } from './call-schema.ts';
import type { Entrance } from './entrance.ts';
import { findNamedModel } from './named-model.ts';
import type { BoundCall } from './register-calls.ts';
import { enterAccount, isFromPanel, namedAccount, readViewer, type SessionDeps } from './sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    viewer?: Viewer;
  }
}

export interface BindApiDeps {
  catalogue: Catalogue;
  entrance: Entrance;
  sessions: SessionDeps;
}

/** Binds calls that read their request and write their reply themselves. */
export function bindApi({ method, path, access, right, call }: ApiRow, deps: BindApiDeps): BoundCall {
  const { entrance, catalogue, sessions } = deps;
  const assertModel = (request: FastifyRequest, key: ApiKey) => {
    request.model = findNamedModel(request, catalogue);
    assertMayUse(key, request.model.id);
  };
  return {
    method,
    url: apiPrefix + path,
    schema: checksOf(call),
    ...call,
    takesFile: call.content !== undefined,
    listOf: ({ apiKey }) => apiKey.accountId,
    // The key's id is enough to name the caller. Its client tokens cannot be confused with it, because they may not
    // make calls whose answers are kept.
    ...bindMaking(call, apiPrefix, ({ apiKey }) => apiKey.id),
    admit(request, reply) {
      const key =
        right !== null && isFromPanel(request)
          ? admitPerson(sessions, request, reply, right)
          : entrance.admit(request, reply, bearerToken, access !== 'any key');
      if (key instanceof Promise)
        return access === 'its model' ? key.then((known) => assertModel(request, known)) : key;
      if (access === 'its model') assertModel(request, key);
      return undefined;
    },
    handle: (request, reply) => call.handle(request as ApiRequest, reply), // its schemas have validated it
  };
}

/** Admits a person, unless the account is disabled. Jobs count as made in the panel, and the account pays. */
async function admitPerson(
  sessions: SessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  right: Right,
): Promise<ApiKey> {
  const viewer = await readViewer(sessions, request, reply);
  const accountId = namedAccount(request);
  await enterAccount(sessions, request, { viewer, accountId, right });
  if (request.method === 'POST') await assertAccountEnabled(sessions.database.read, accountId);
  request.viewer = viewer;
  request.apiKey = panelKey(accountId);
  return request.apiKey;
}
