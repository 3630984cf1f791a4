import { ProblemError } from '../../api/problem.ts';

// The idempotency keys, by request. They outlive the form: if a user leaves while the server is down and comes back,
// the same request is sent under the same key.
const open = new Map<string, string>();
/** The keys of requests being retried. A key stays even if another form gets an answer to an equal request. */
const sending = new WeakMap<object, string>();

/**
 * Runs a create under one `Idempotency-Key` per wish. Without an answer, the key is kept, so that sending again creates
 * no second job. After an answer, the next click gets a new key.
 * @param scope the account, if the wish does not name it
 */
export async function once<Answer>(
  wish: object,
  run: (key: string) => Promise<Answer>,
  scope = '',
): Promise<Answer> {
  const text = `${scope} ${JSON.stringify(wish)}`;
  const key = sending.get(wish) ?? open.get(text) ?? newKey();
  sending.set(wish, key);
  open.set(text, key);
  const forget = () => {
    sending.delete(wish);
    if (open.get(text) === key) open.delete(text);
  };
  try {
    const answer = await run(key);
    forget();
    return answer;
  } catch (error) {
    if (isAnswered(error)) forget();
    throw error;
  }
}

/** Whether the server refused the request, which means that nothing was created and nothing is running. */
export function isAnswered(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  const { status } = error.problem;
  return status >= 400 && status < 500 && status !== 409;
}

/** Browsers lack `crypto.randomUUID` on plain http, except on localhost. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
