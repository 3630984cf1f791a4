import type { FastifyReply } from 'fastify';
import { hasLeft } from '../../base/http/client-gone.ts';
import type { UnansweredRequests } from '../../jobs/admission/unanswered/open-unanswered.ts';
import type { Waiting } from '../../jobs/admission/unanswered/unanswered-store.ts';
import { DoorAnswer, StillUnderWay, toDoorError } from './door-errors.ts';

export interface FollowedAnswer {
  /**
   * Reports an error that becomes the answer. Unless the error is about the jobs, the client has not had
   * their images, and a retry gets them.
   */
  failed(error: unknown): void;
}

/** Records the outcome of a request with jobs: answered if the whole answer was sent, otherwise left by its client. */
export function followAnswer(
  unanswered: UnansweredRequests,
  reply: FastifyReply,
  waiting: Waiting,
): FollowedAnswer {
  let isOwed = false;
  const settle = () => unanswered.settle(waiting, isOwed || hasLeft(reply) ? 'left' : 'answered');
  // The client may have disconnected before the jobs were admitted.
  if (reply.raw.closed) settle();
  else reply.raw.once('close', settle);
  return {
    failed(error) {
      const isAnswer = error instanceof DoorAnswer && !(error instanceof StillUnderWay);
      isOwed = !isAnswer && toDoorError(error).status >= 500;
    },
  };
}
