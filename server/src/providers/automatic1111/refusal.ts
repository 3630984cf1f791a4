import { pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** `{error, detail}` for what the code threw, `{detail: [...]}` for what the schema refused. */
export function automatic1111Refusal(upstream: Upstream, answer: Answer): ProviderError {
  const body = answer.json();
  const said = `${pickText(body, 'error') ?? ''} ${pickText(body, 'detail') ?? ''} ${pickText(body, 'errors') ?? ''}`;
  return upstream.refusal(answer, { kind: kindOf(answer.status, said) });
}

function kindOf(status: number, said: string): FailureKind | undefined {
  if (/Invalid encoded image|UnidentifiedImage/i.test(said)) return 'invalid_input';
  if (/OutOfMemory/i.test(said)) return 'unavailable';
  // Sampler, script and schema are the operator's settings, not the client's words.
  return status === 404 || status === 422 ? 'model_not_found' : undefined;
}
