import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import Value from 'typebox/value';
import type { DoorDeps } from '../door-deps.ts';

const cancelledSchema = Type.Object({
  method: Type.Literal('notifications/cancelled'),
  params: Type.Object({ requestId: Type.Union([Type.String({ maxLength: 200 }), Type.Number()]) }),
});

/** Identifies a client's request. Includes the address, because two clients with one key use the same numbers. */
export function clientRequestOf({ clientAddress }: FastifyRequest, id: string | number): string {
  return `${clientAddress} ${id}`;
}

/** Lets a retry find the cancelled request's jobs. Without sessions, the request itself cannot be stopped. */
export async function noteCancelled({ unanswered }: DoorDeps, request: FastifyRequest): Promise<void> {
  if (!Value.Check(cancelledSchema, request.body)) return;
  const { requestId } = request.body.params;
  await unanswered.cancel({
    callerId: request.apiKey.id,
    clientRequest: clientRequestOf(request, requestId),
  });
}
