import type { ProblemDocument } from '@darkroom/server/panel-contract';
import { t } from '../languages/words.ts';

type PanelProblem = Omit<ProblemDocument, 'code'> & {
  code: ProblemDocument['code'] | 'page_error' | 'unknown' | 'unreachable';
};

export class ProblemError extends Error {
  readonly problem: PanelProblem;
  /** Null if the server sent no `Retry-After`. */
  readonly retryAfterSeconds: number | null;

  constructor(problem: PanelProblem, retryAfterSeconds: number | null = null) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function problemOf(error: unknown): PanelProblem {
  if (error instanceof ProblemError) return error.problem;
  return {
    type: 'about:blank',
    title: t('Something went wrong in this page'),
    status: 0,
    code: 'page_error',
    detail: error instanceof Error ? error.message : t('Reload the page and try again.'),
    request_id: '',
  };
}

export async function readProblem(response: Response): Promise<ProblemError> {
  const retryAfter = Number(response.headers.get('retry-after'));
  const fallback: PanelProblem = {
    type: 'about:blank',
    title: t('The server answered {status}', { status: response.status }),
    status: response.status,
    code: 'unknown',
    detail: t('The answer carried no explanation.'),
    request_id: response.headers.get('x-request-id') ?? '',
  };
  const body: unknown = await response.json().catch(() => null);
  const problem = isProblem(body) ? { ...fallback, ...body } : fallback;
  return new ProblemError(problem, Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null);
}

export function unreachable(): ProblemError {
  return new ProblemError({
    type: 'about:blank',
    title: t('The server cannot be reached'),
    status: 0,
    code: 'unreachable',
    detail: t('Check that it is running and that this browser is online, then try again.'),
    request_id: '',
  });
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === 'unreachable';
}

/** Whether the same call may succeed after a while: the server is down, busy or failing. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  const { status } = error.problem;
  return isUnreachable(error) || status === 429 || status >= 500;
}

function isProblem(body: unknown): body is Partial<PanelProblem> {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;
}
