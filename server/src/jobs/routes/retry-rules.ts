import type { AttemptFailure, Job, JobErrorCode } from '../job.ts';

type Kind = AttemptFailure['kind'];

interface Rule {
  /** The name under which failures are counted together. */
  counter: string;
  /** The number of these failures that ends the job, or its use of this route. */
  tries: number;
  /** Replaces `tries` if no other route is left. */
  lastTries?: number;
  elsewhere: boolean;
  errorCode: JobErrorCode;
  error?: string;
}

/** The maximum number of workers that may die while they run only this job, which proves that the job is to blame. */
const maxLost = 3;
/** The maximum number of workers lost for any reason, so that a job ends even if workers keep dying. */
const maxLostBeside = 20;
/** The number of tries before a job changes its route. Transient failures either pass within seconds or last long. */
const maxTransient = 3;
/** The number of tries of a job that has no other route. */
const maxTransientAtLast = 5;
/** The maximum number of tries to resume. A submitted request is paid for, and resuming it costs only time. */
const maxResumed = 10;

const rejected =
  'The image service refused the request for a reason that only the operator can fix. Try again later.';
const final = (errorCode: JobErrorCode): Rule => ({
  counter: 'final',
  tries: 1,
  elsewhere: false,
  errorCode,
});
const unusable: Rule = {
  counter: 'unusable',
  tries: 1,
  elsewhere: true,
  errorCode: 'provider_rejected',
  error: rejected,
};
const transient: Rule = {
  counter: 'transient',
  tries: maxTransient,
  lastTries: maxTransientAtLast,
  elsewhere: true,
  errorCode: 'provider_unavailable',
};
const onceMore = (counter: string, errorCode: JobErrorCode): Rule => ({
  counter,
  tries: 2,
  elsewhere: true,
  errorCode,
});

const rules: Record<Kind, Rule> = {
  invalid_input: final('invalid_input'),
  unsupported: { counter: 'unusable', tries: 1, elsewhere: true, errorCode: 'provider_rejected' },
  safety_blocked: final('safety_blocked'),
  policy: final('policy_refused'),
  no_image: onceMore('no_image', 'no_image'),
  auth: unusable,
  quota: unusable,
  model_not_found: unusable,
  rate_limited: transient,
  unavailable: transient,
  network: transient,
  // Repeated only once, because the upstream may have finished the request and charged for it.
  timeout: onceMore('timeout', 'timed_out'),
  bad_response: onceMore('bad_response', 'provider_unavailable'),
  cancelled: {
    ...unusable,
    counter: 'cancelled',
    errorCode: 'internal',
    error: 'The image service stopped the work.',
  },
  store: {
    counter: 'store',
    tries: maxTransientAtLast,
    elsewhere: false,
    errorCode: 'internal',
    error: 'The image was made but could not be stored. Create the job again.',
  },
  lost: {
    counter: 'lost',
    tries: maxLost,
    elsewhere: false,
    errorCode: 'interrupted',
    error: `The process that made the image died repeatedly, ${maxLost} times while it ran only this job. Change the request or tell the operator.`,
  },
};
const lostBeside: Rule = {
  ...rules.lost,
  counter: 'lost beside others',
  tries: maxLostBeside,
  error: 'The process that made the image died repeatedly. Create the job again, or tell the operator.',
};

/**
 * The rule for a failure. A request that is still running upstream is resumed, but after two timeouts the job changes
 * its route if possible.
 */
export function ruleOf({
  kind,
  resumable,
  alone,
}: Pick<AttemptFailure, 'kind' | 'resumable' | 'alone'>): Rule {
  const rule = kind === 'lost' && !alone ? lostBeside : rules[kind];
  if (!resumable || !rule.elsewhere) return rule;
  const resumed: Rule = { ...rule, counter: 'resumed', tries: maxResumed, lastTries: maxResumed };
  // Counted by itself, because a broken poll before the first time-out does not show that the route is slow.
  return kind === 'timeout' ? { ...resumed, counter: 'resumed late', tries: rule.tries } : resumed;
}

export const processStopped = 'The process that was making the image stopped.';
export const overdue = {
  errorCode: 'deadline_exceeded',
  error: 'The image was not done by the deadline of the request. Nothing was charged.',
} as const satisfies { errorCode: JobErrorCode; error: string };

export function isOverdue({ deadlineAt }: Pick<Job, 'deadlineAt'>, nowMs: number): boolean {
  return deadlineAt !== null && deadlineAt <= nowMs;
}

export const outOfTime = 'There was no time left to try again. Create the job again.';

export function endingOf(last: AttemptFailure): { errorCode: JobErrorCode; error: string } {
  const { errorCode, error } = ruleOf(last);
  return { errorCode, error: error ?? last.message };
}

export function countLike(failure: AttemptFailure, failures: readonly AttemptFailure[]): number {
  const { counter } = ruleOf(failure);
  return failures.filter((one) => ruleOf(one).counter === counter).length;
}

/** The routes, in order, that have tries left for a job with these failures. */
export function routesLeft(routes: readonly string[], failures: readonly AttemptFailure[]): string[] {
  const left = routes.filter((route) => !isSpent(route, failures, ({ tries }) => tries));
  if (left.length > 0) return left;
  return routes.filter((route) => !isSpent(route, failures, ({ tries, lastTries }) => lastTries ?? tries));
}

function isSpent(
  route: string,
  failures: readonly AttemptFailure[],
  triesOf: (rule: Rule) => number,
): boolean {
  const own = failures.filter((failure) => failure.route === route);
  const resumed = own.filter((failure) => failure.resumable && ruleOf(failure).elsewhere);
  if (resumed.length >= maxResumed) return true;
  return own.some(
    (failure) => ruleOf(failure).elsewhere && countLike(failure, own) >= triesOf(ruleOf(failure)),
  );
}
