import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import Value from 'typebox/value';
import type { DoorDeps } from '../door-deps.ts';

const cancelledSchema = Type.Object({
  method: Type.Literal('notifications/cancelled'),
  params: Type.Object({ requestId: Type.Union([Type.String({ maxLength: 200 }), Type.Number()]) }),
});

/**
 * Identifies a client's request. Clients number their requests for each connection, so the same key at two addresses
 * has the same numbers.
 */
export function clientRequestOf({ clientAddress }: FastifyRequest, id: string | number): string {
  return `${clientAddress} ${id}`;
}

/**
 * Without sessions, a cancellation reaches no request. But it says that its client has given up, often with the
 * connection still open: the same call again is then a repetition.
 */
export async function noteCancelled({ unanswered }: DoorDeps, request: FastifyRequest): Promise<void> {
  if (!Value.Check(cancelledSchema, request.body)) return;
  const { requestId } = request.body.params;
  await unanswered.cancel({
    callerId: request.apiKey.id,
    clientRequest: clientRequestOf(request, requestId),
  });
}
