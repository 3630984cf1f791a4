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
      const answered =
        error instanceof ProblemError && error.problem.status >= 400 && error.problem.status < 500;
      if (answered && error.problem.status !== 409) open.current = null;
      throw error;
    }
  };
}

/** `crypto.randomUUID` is missing on plain http beyond localhost. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
