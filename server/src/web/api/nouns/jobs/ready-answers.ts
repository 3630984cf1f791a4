import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../../base/std/clock.ts';
import { expiryOf, type LinkSigner } from '../../../../images/image-links.ts';
import type { Job } from '../../../../jobs/job.ts';
import { presentJob } from '../../../../jobs/present-job.ts';

/** Sends an ended job. The text is cached until the job changes or a new hour gives its links a later expiry. */
export type SendEnded = (job: Job, reply: FastifyReply) => FastifyReply;

export function createReadyAnswers({ links, clock }: { links: LinkSigner; clock: Clock }): SendEnded {
  const ready = new WeakMap<Job, { text: string; expiresAt: number }>();
  return (job, reply) => {
    const expiresAt = expiryOf(clock.nowMs());
    let answer = ready.get(job);
    if (answer?.expiresAt !== expiresAt) {
      const serialize = reply.getSerializationFunction('200', 'application/json') ?? JSON.stringify;
      answer = { text: serialize({ ...presentJob(job, links) }), expiresAt };
      ready.set(job, answer);
    }
    return reply.type('application/json; charset=utf-8').send(answer.text);
  };
}
