import type { FastifyInstance } from 'fastify';
import { bearerToken } from '../../../base/http/bearer.ts';
import { AppError } from '../../../errors.ts';
import type { DoorDeps } from '../door-deps.ts';
import { logDoorTrouble } from '../door-errors.ts';
import { refuseUnknownQuery } from '../refuse-unknown-query.ts';
import { registerBatchCalls } from './batches/batch-calls.ts';
import { registerFileCalls } from './batches/file-calls.ts';
import { registerImageCalls } from './image-calls.ts';
import { registerModelCalls } from './model-calls.ts';
import { sendError } from './send-error.ts';
import { registerTasks } from './tasks.ts';

export const openAiPrefix = '/v1';

/** Serves OpenAI's Images API: https://developers.openai.com/api/reference/resources/images */
export async function registerOpenAi(server: FastifyInstance, deps: DoorDeps): Promise<void> {
  await server.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.setErrorHandler((error, _request, reply) => {
        logDoorTrouble(deps.log, error, reply);
        return sendError(reply, error);
      });
      scope.setNotFoundHandler((request, reply) =>
        sendError(
          reply,
          new AppError('not_found', `There is no ${request.method} ${pathOf(request.url)} here. ${calls}`),
        ),
      );
      scope.addHook('onRequest', async (request, reply) => {
        // Client tokens may create images, and read the images of requests that did not wait.
        const takesTokens = request.url.startsWith(`${openAiPrefix}/images/`);
        if (!request.is404) await deps.entrance.admit(request, reply, bearerToken, takesTokens);
        reply.header('cache-control', 'no-store');
      });
      refuseUnknownQuery(scope, knownQuery);
      registerModelCalls(scope, deps);
      registerImageCalls(scope, deps);
      registerTasks(scope, deps);
      await scope.register(async (batches) => {
        refuseUnknownQuery(batches, batchQuery);
        registerBatchCalls(batches, deps);
      });
      await scope.register(async (files) => registerFileCalls(files, deps));
    },
    { prefix: openAiPrefix },
  );
}

/**
 * The query parameters that programs send without need. Azure's clients always send the API version. The others belong
 * to OpenAI's lists, which have pages.
 */
const knownQuery = ['api-version', 'limit', 'after', 'before', 'order', 'purpose'];
/** The list of batches takes no `purpose` or `order`: it is always newest first. */
const batchQuery = ['api-version', 'limit', 'after'];

const calls =
  'Darkroom supports POST /v1/images/generations, POST /v1/images/edits, GET /v1/images/tasks/{id}, /v1/files, /v1/batches, GET /v1/models and GET /v1/models/{id}.';

function pathOf(url: string): string {
  return (url.split('?')[0] ?? '').slice(0, 100);
}
