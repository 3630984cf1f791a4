import { useRef } from 'react';
import { ProblemError } from '../../api/problem.ts';

/**
 * One `Idempotency-Key` per intended job. If no answer came, sending again must not make a second job, so the
 * key is kept; after an answer the next click gets a new key.
 */
export function useIdempotency() {
  const open = useRef<{ wish: string; key: string } | null>(null);
  return async <Answer>(wish: object, run: (key: string) => Promise<Answer>): Promise<Answer> => {
    const text = JSON.stringify(wish);
    const kept = open.current?.wish === text ? open.current : { wish: text, key: newKey() };
    open.current = kept;
    try {
      const answer = await run(kept.key);
      open.current = null;
      return answer;
    } catch (error) {
      if (isAnswered(error)) open.current = null;
      throw error;
    }
  };
}

/** Whether the server refused: nothing was made, and nothing is under way. */
export function isAnswered(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  const { status } = error.problem;
  return status >= 400 && status < 500 && status !== 409;
}

/** `crypto.randomUUID` is missing on plain http beyond localhost. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
