import { addAbortSignal, Readable } from 'node:stream';
import { commandLine } from '../../base/audit/audit-store.ts';
import { createBodyBudget } from '../../base/http/bodies/body-budget.ts';
import { createListCursors } from '../../base/http/list-cursors.ts';
import { toAppError } from '../../base/http/send-problem.ts';
import { createServer, type ServerDeps } from '../../base/http/server.ts';
import { createLog } from '../../base/std/log.ts';
import { type AdminDeps, adminCalls } from './admin.ts';
import { registerAdmin } from './open-admin.ts';

export type AnswerHereDeps = AdminDeps & Pick<ServerDeps, 'meter'> & { opaqueKey: string };

/** The command line may do everything, because its user has access to the machine. */
const admitted = { who: 'the command line', by: commandLine, hasScope: () => true, assertScope() {} };

/** Answers administration requests in this process, as a server would. Throws the reason for a refusal or defect. */
export function answerHere({ opaqueKey, ...deps }: AnswerHereDeps): typeof fetch {
  const log = createLog({ level: 'silent', format: 'json' });
  const server = createServer({ log, meter: deps.meter, publicUrl: () => 'http://localhost' });
  const thrown = new Map<unknown, unknown>();
  server.addHook('onError', (request, _reply, error, done) => {
    const problem = toAppError(error, request);
    thrown.set(request.id, problem.cause === undefined ? problem : error);
    done();
  });
  server.register(async (scope) =>
    registerAdmin(scope, adminCalls(deps), {
      ...deps,
      cursors: createListCursors(opaqueKey),
      bodies: createBodyBudget(),
      // In one process no answer can be lost, so nobody repeats a request, and no answers are kept.
      answers: { once: (_request, _reply, { work }) => work() },
      admit: async () => admitted,
    }),
  );
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const { pathname, search } = new URL(String(input));
    const answer = await server.inject({
      method: method as 'GET', // or another
      url: pathname + search,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' && { payload: body }),
      payloadAsStream: true,
    });
    const id = answer.headers['x-request-id'];
    if (thrown.has(id)) throw thrown.get(id);
    const { statusCode: status } = answer;
    const stream = answer.stream();
    if (signal) addAbortSignal(signal, stream);
    const content = status === 204 ? null : (Readable.toWeb(stream) as ReadableStream); // of bytes
    return new Response(content, { status, headers: answer.headers as Record<string, string> }); // no header is set twice
  };
}
