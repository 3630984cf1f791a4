import { failure, shorten } from '../failure.ts';
import { pick, pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import { durationMs } from '../retry-after.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** Maps the API's own errors: RFC 9457 problems, with `retry_after` in seconds on 429. */
export function replicateRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const body = answer.json();
  const wait = pick(body, 'retry_after');
  return upstream.refusal(answer, {
    retryAfterMs: typeof wait === 'number' ? durationMs(`${wait}s`) : undefined,
  });
}

/** Maps a failed prediction, whose reason is free text by the model's author. */
export function predictionFailure(prediction: unknown): ProviderError {
  const status = pickText(prediction, 'status') ?? 'unknown';
  const error = pickText(prediction, 'error') ?? '';
  const detail = shorten(`prediction ${status}: ${error}`, 500);
  if (status === 'canceled' || status === 'aborted') return failure('cancelled', { detail });
  return failure(kindOf(error), { detail });
}

function kindOf(error: string): FailureKind {
  if (/nsfw|sensitive|safety|flagged|content policy|prohibited|\(E005\)/i.test(error))
    return 'safety_blocked';
  if (/no image|(not|n't) (return|generate|produce)|no output/i.test(error)) return 'no_image';
  if (/timed? ?out|deadline/i.test(error)) return 'timeout';
  if (/high demand|unavailable|overloaded|rate limit|try again later|out of memory|\(E003\)/i.test(error))
    return 'unavailable';
  return 'bad_response';
}
