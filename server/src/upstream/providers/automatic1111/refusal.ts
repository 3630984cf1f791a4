import { pick, pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** The time in which a starting server may lack its API. Forge took two seconds; slower machines take longer. */
const bootMs = 15_000;
const bootRetryMs = 1_000;

/**
 * Exceptions come as `{error, detail, errors}` or, from Forge, in `message`; schema errors as `{detail: [...]}`. Only a
 * lasting 404 counts as a wrong setting, because a booting server answers 404 like one without `--api`.
 */
export function createRefusals(upstream: Upstream, nowMs: () => number = () => performance.now()) {
  let notMountedSince: number | null = null;
  return (answer: Answer): ProviderError => {
    const body = answer.json();
    if (!isNotMounted(answer, body)) {
      notMountedSince = null;
      const said = ['error', 'detail', 'errors', 'message']
        .map((field) => pickText(body, field) ?? '')
        .join(' ');
      return upstream.refusal(answer, { kind: kindOf(answer.status, said) });
    }
    notMountedSince ??= nowMs();
    if (nowMs() - notMountedSince >= bootMs) return upstream.refusal(answer, { kind: 'model_not_found' });
    return upstream.refusal(answer, { kind: 'unavailable', retryAfterMs: bootRetryMs });
  };
}

function isNotMounted(answer: Answer, body: unknown): boolean {
  return (
    answer.status === 404 && pick(body, 'error') === undefined && pickText(body, 'detail') === 'Not Found'
  );
}

function kindOf(status: number, said: string): FailureKind | undefined {
  if (/Invalid encoded image|UnidentifiedImage/i.test(said)) return 'invalid_input';
  if (/OutOfMemory/i.test(said)) return 'unavailable';
  // Sampler, script and other fields come from the operator's settings, not from the client.
  if (
    status === 404 ||
    status === 422 ||
    /(sampler|scheduler|checkpoint|script|upscaler) .{0,80}not found/i.test(said)
  )
    return 'model_not_found';
  // A retry would meet the same Python error, which comes from conflicting settings.
  if (/\b(Type|Key|Attribute|Value|Index|Name|Assertion)Error\b|NoneType/.test(said)) return 'bad_response';
  return undefined;
}
