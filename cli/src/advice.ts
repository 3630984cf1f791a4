import type { Job, JobErrorCode, ProblemCode } from '@darkroom/sdk';

export function adviceForProblem(code: ProblemCode | null): string | undefined {
  if (code === null) return 'check that DARKROOM_URL is the address of a Darkroom server';
  return problemAdvice[code];
}

export function adviceForJob(job: Job): string | undefined {
  return job.error_code === null ? undefined : jobAdvice[job.error_code];
}

const newKey = 'an operator makes a key with: darkroom key create --account ACCOUNT';
const later = 'try again in a moment; the server keeps what it has accepted';

const problemAdvice: Partial<Record<ProblemCode, string>> = {
  key_missing: `set DARKROOM_API_KEY; ${newKey}`,
  key_invalid: `check DARKROOM_API_KEY; ${newKey}`,
  model_forbidden: 'use a key that may use this model, or another model (-m)',
  prompt_refused: 'change the prompt or the input images',
  insufficient_funds: 'an operator adds credit with: darkroom account credit ACCOUNT AMOUNT --reason TEXT',
  too_many_requests: 'wait as long as the server asks, then try again',
  project_paused: 'try again later; an operator ends the pause with: darkroom resume',
  model_paused:
    'try again later or use another model (-m); an operator ends the pause with: darkroom resume MODEL',
  no_route:
    'use another size, ratio or model (-m); operators see what no route can make with: darkroom routes',
  storage_unavailable: later,
  database_unavailable: later,
  overloaded: later,
  shutting_down: later,
  internal: 'try again; if the error persists, give the request id to an operator, who finds it in the log',
};

const jobAdvice: Partial<Record<JobErrorCode, string>> = {
  safety_blocked: 'change the prompt or the input images',
  policy_refused: 'change the prompt or the input images',
  no_image: 'ask for an image more clearly in the prompt, or try again',
  invalid_input: 'use other input images',
  provider_unavailable: 'try again later or use another model (-m)',
  provider_rejected: 'try again with another prompt or another model (-m)',
  timed_out: 'try again, or use a smaller resolution (-r)',
  deadline_exceeded: 'try again with a later deadline, or another model (-m)',
  interrupted: 'try again',
  internal: 'try again; if the error persists, give the job id to an operator, who finds it in the log',
};
