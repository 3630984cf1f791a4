import Type from 'typebox';
import { nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { waitReasons } from '../../../../jobs/queue-view.ts';

export const etaSchema = Type.Object(
  {
    p50: Type.Number({ description: 'The median: the job is as likely to end earlier as later.' }),
    p95: Type.Number({ description: 'The job hardly ever ends later.' }),
  },
  {
    title: 'Eta',
    description:
      'Seconds until the job ends, estimated from how long jobs took lately and from all that wait; null if unknown, as when the model is paused without an end.',
  },
);

export const queueSchema = Type.Object(
  {
    position: Type.Integer({ description: '1 is next.' }),
    ahead: Type.Integer({
      description:
        "The number of waiting jobs of the same model, of all accounts, that begin before it. A free slot goes to the account with the fewest running jobs of the model, and to that account's oldest job.",
    }),
    eta: nullable(etaSchema),
    reason: oneOf(waitReasons, {
      title: 'WaitReason',
      'x-open': true,
      description:
        'Why it waits now. `turn`: other jobs are first. `account_limit`: the account or the key has reached its limit on running jobs. `route_full`: it is next, but every slot is in use. `route_resting`: the upstream fails, and gets no jobs until `until`. `paced`: the limit on requests per minute is reached. `paused`: the operator has paused the model. `retry`: an attempt failed, and the next may begin at `until`.',
    }),
    until: Type.Optional(time('When this reason is expected to end; only if that is known.')),
    attempt: Type.Optional(
      Type.Integer({ description: 'The number of the next attempt; only for `retry`.' }),
    ),
  },
  {
    title: 'JobQueue',
    description: 'The place of the job in the queue; only while it waits, and not in lists.',
  },
);
