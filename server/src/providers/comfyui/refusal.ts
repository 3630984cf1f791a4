import { failure, shorten } from '../failure.ts';
import { pick, pickList, pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** A graph that is refused is the operator's: a node or a model file is missing, or a slot is in the wrong place. */
export function submitRefusal(upstream: Upstream, answer: Answer): ProviderError {
  if (answer.status !== 400) return upstream.refusal(answer);
  const badImage = /Invalid image file/.test(JSON.stringify(answer.json() ?? ''));
  return upstream.refusal(answer, { kind: badImage ? 'invalid_input' : 'model_not_found' });
}

/** Why a run in the history ended with `status_str: "error"`. */
export function runFailure(entry: unknown): ProviderError {
  const [event, data] = lastMessage(entry);
  const type = pickText(data, 'exception_type') ?? '';
  const detail = shorten(
    `${event} ${pickText(data, 'node_type') ?? ''} ${type}: ${pickText(data, 'exception_message')}`,
    500,
  );
  return failure(kindOf(event, type), { detail });
}

function lastMessage(entry: unknown): [string, unknown] {
  const last = pickList(entry, 'status', 'messages').at(-1);
  return [pickText(last, 0) ?? 'no message', pick(last, 1)];
}

function kindOf(event: string, type: string): FailureKind {
  if (event === 'execution_interrupted') return 'cancelled';
  if (/OutOfMemory/i.test(type)) return 'unavailable';
  if (/UnidentifiedImage/i.test(type)) return 'invalid_input';
  return 'bad_response';
}
