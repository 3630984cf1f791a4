import type { Socket } from 'node:net';
import { AppError } from '../../../errors.ts';
import type { Meter } from '../../metrics/meter.ts';
import type { Log } from '../../std/log.ts';
import { writeProblem } from '../broken-requests.ts';
import { somethingWrong } from '../send-problem.ts';
import { IncomingMessage, ServerResponse } from './node-http.ts';
import { socketOf } from './socket-of.ts';

/** Limits the harm of unexpected exceptions to the request or connection whose listener threw them. */
export interface Containment {
  /** Classes for Node's server: requests and answers that guard all their listeners. */
  messages: { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse };
  /** Runs the work of a timer or listener for one connection. An exception ends only that connection. */
  contain(what: string, work: () => void, connection: () => Pick<Socket, 'destroy'> | undefined): void;
}

/** An exception in a listener would end the process. Here it ends only its request, with a 500 or a cut-off answer. */
export function createContainment({
  log,
  meter,
  publicUrl,
}: {
  log: Log;
  meter: Meter;
  publicUrl: () => string;
}): Containment {
  const faults = meter.counter(
    'darkroom_http_faults_total',
    'Unexpected exceptions in a listener of a request, each of which ended only that request.',
    ['event'],
  );
  /** @param requestId the id of the request whose answer reports the exception, if any */
  const note = (event: string, error: unknown, requestId?: string) => {
    faults.add([event]);
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.error('request.crashed', { ...(requestId !== undefined && { request_id: requestId }), event, cause });
  };
  /** Sends a problem. If the response has already started, it is too late, and the connection is cut off. */
  const end = (event: string, error: unknown, request: IncomingMessage, answer?: ServerResponse) => {
    const socket = socketOf(request) ?? (answer && socketOf(answer));
    if (socket?.writable && answer && !answer.headersSent)
      return note(event, error, writeProblem(socket, new AppError('internal', somethingWrong), publicUrl()));
    note(event, error);
    socket?.destroy();
  };

  class ContainedRequest extends IncomingMessage {
    answer?: ServerResponse;

    override emit(event: string | symbol, ...given: unknown[]): boolean {
      try {
        return super.emit(event as string, ...given); // symbols are events too
      } catch (error) {
        end(String(event), error, this, this.answer);
        return true;
      }
    }
  }

  class ContainedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    constructor(...given: ConstructorParameters<typeof ServerResponse<Request>>) {
      super(...given);
      const [request] = given;
      if (request instanceof ContainedRequest) request.answer = this;
    }

    override emit(event: string | symbol, ...given: unknown[]): boolean {
      try {
        return super.emit(event as string, ...given); // symbols are events too
      } catch (error) {
        end(String(event), error, this.req, this);
        return true;
      }
    }
  }

  return {
    messages: { IncomingMessage: ContainedRequest, ServerResponse: ContainedResponse },
    contain(what, work, connection) {
      try {
        work();
      } catch (error) {
        note(what, error);
        connection()?.destroy();
      }
    },
  };
}
