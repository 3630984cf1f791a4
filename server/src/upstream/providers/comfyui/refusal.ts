import { failure, kindOfStatus, shorten } from '../failure.ts';
import { pick, pickList, pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** ComfyUI runs the operator's graph on inputs from Darkroom, so the client's prompt and images are not the cause. */
export function comfyRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const kind = kindOfStatus(answer.status);
  return upstream.refusal(answer, { kind: kind === 'invalid_input' ? 'bad_response' : kind });
}

/**
 * A job sets only the inputs of nodes, so a wrong input may be the job's fault, but an unknown node class is the route's.
 */
export function submitRefusal(upstream: Upstream, answer: Answer): ProviderError | undefined {
  if (answer.status === 400) {
    const isOfGraph = pickText(answer.json(), 'error', 'type') === 'missing_node_type';
    const kind = 'model_not_found';
    return upstream.refusal(answer, { kind, proven: isOfGraph ? kind : undefined });
  }
  if (!answer.ok) return comfyRefusal(upstream, answer);
  // If only some outputs are valid, ComfyUI answers 200 and queues those.
  const refused = Object.keys(pick(answer.json(), 'node_errors') ?? {});
  return refused.length > 0 ? upstream.refusal(answer, { kind: 'model_not_found' }) : undefined;
}

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
  // Darkroom interrupts only runs whose result is not needed, so a person interrupted this run in ComfyUI's page.
  if (event === 'execution_interrupted') return 'unavailable';
  if (/OutOfMemory/i.test(type)) return 'unavailable';
  return 'bad_response';
}
