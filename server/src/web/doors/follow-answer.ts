import type { FastifyReply } from 'fastify';
import { hasLeft } from '../../base/http/client-gone.ts';
import type { UnansweredRequests } from '../../jobs/admission/unanswered/open-unanswered.ts';
import type { Waiting } from '../../jobs/admission/unanswered/unanswered-store.ts';
import { DoorAnswer, StillUnderWay, toDoorError } from './door-errors.ts';

export interface FollowedAnswer {
  /** Reports an error that becomes the answer. If the jobs did not fail, the client's retry gets their images. */
  failed(error: unknown): void;
}

/** A request counts as answered if the whole answer was sent, otherwise as abandoned. */
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
