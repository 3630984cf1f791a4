import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bearerToken } from '../../../base/http/bearer.ts';
import { AppError } from '../../../errors.ts';
import type { DoorDeps } from '../door-deps.ts';
import { logDoorTrouble } from '../door-errors.ts';
import { refuseUnknownQuery } from '../refuse-unknown-query.ts';
import { registerGenerate } from './generate.ts';
import { registerInteractions } from './interactions/interaction-calls.ts';
import { registerModelCalls } from './model-calls.ts';
import { sendGoogleError } from './send-google-error.ts';

const keyHeader = 'x-goog-api-key';
/** The name of the constraint. It must be an identifier, because it becomes part of a generated function. */
const constraint = 'googleKey';
/** Google's JavaScript client calls `v1` by default; its other clients call `v1beta`. */
export const geminiPrefix = '/v1beta';
const prefixes = [geminiPrefix, '/v1'];

/** Serves the image part of Gemini's API: https://ai.google.dev/api/generate-content */
export async function registerGemini(server: FastifyInstance, deps: DoorDeps): Promise<void> {
  // OpenAI's clients request the model list at the same path, so the header with the key decides between the two APIs.
  server.addConstraintStrategy({
    name: constraint,
    storage: createStorage,
    deriveConstraint: ({ headers }) => (headers[keyHeader] === undefined ? undefined : 'sent'),
  });
  // Refuses uploads at the path to which Google's clients send files.
  await server.register(
    async (scope) => scope.setNotFoundHandler((_request, reply) => sendGoogleError(reply, nothingHere())),
    { prefix: '/upload' },
  );
  for (const prefix of prefixes) {
    await server.register(
      async (scope) => {
        const constraints = prefix === '/v1' ? { [constraint]: 'sent' } : {};
        scope.removeAllContentTypeParsers();
        scope.setErrorHandler((error, _request, reply) => {
          logDoorTrouble(deps.log, error, reply);
          return sendGoogleError(reply, error);
        });
        if (prefix === geminiPrefix)
          scope.setNotFoundHandler((_request, reply) => sendGoogleError(reply, nothingHere()));
        scope.addHook('onRequest', async (request, reply) => {
          reply.header('cache-control', 'no-store');
          if (!request.is404) await deps.entrance.admit(request, reply, readKey);
        });
        refuseUnknownQuery(scope, knownQuery);
        registerModelCalls(scope, deps, constraints);
        registerGenerate(scope, deps);
        registerInteractions(scope, deps);
      },
      { prefix },
    );
  }
}

/** Google's system parameters (https://cloud.google.com/apis/docs/system-parameters), and the parameters of lists. */
const knownQuery = [
  ...[
    'alt',
    '$alt',
    'fields',
    '$fields',
    'prettyPrint',
    '$prettyPrint',
    'quotaUser',
    '$userProject',
    '$.xgafv',
  ],
  ...['pageSize', 'pageToken', 'filter', 'stream', 'include_input'],
];

function readKey(request: FastifyRequest): string {
  const { query, headers } = request;
  if (typeof query === 'object' && query !== null && 'key' in query) {
    throw new AppError(
      'key_missing',
      `A key in the URL is refused, because proxies and programs log URLs. Send it in the header ${keyHeader}, and replace this one if others may have seen it.`,
    );
  }
  const key = headers[keyHeader];
  if (key === undefined) return bearerToken(request);
  if (typeof key === 'string' && /^\S+$/.test(key)) return key;
  throw new AppError('key_missing', `Send your API key in one header: "${keyHeader}: <API_KEY>".`);
}

function nothingHere(): AppError {
  return new AppError(
    'not_found',
    'There is nothing at this address. Darkroom supports POST /v1beta/models/{model}:generateContent and :streamGenerateContent, /v1beta/interactions, GET /v1beta/models and GET /v1beta/models/{model}.',
  );
}

function createStorage<Handler>() {
  const handlers = new Map<unknown, Handler>();
  return {
    get: (value: unknown) => handlers.get(value) ?? null,
    set: (value: unknown, handler: Handler) => void handlers.set(value, handler),
  };
}
