import { Readable } from 'node:stream';
import { describeFailure, readText } from '../../base/std/outgoing/answers.ts';
import { maxPromptLength } from '../../upstream/catalog/models.ts';
import { Base64Image, jsonBody, type SentImage, UnreadableInput } from '../../upstream/providers/body.ts';
import { userAgent } from '../../version.ts';
import type { GuardrailSettings, Stage } from './guardrail-settings.ts';

export interface Question {
  stage: Stage;
  accountId: string;
  keyId: string;
  /** The id of the request, or of the job if its image is checked. */
  callId: string;
  model: string;
  text: string;
  /** Sent as `data:` URLs. */
  images: readonly SentImage[];
}

export type Answer =
  | { kind: 'allowed' }
  /** The service allows the request if this text replaces the prompt. */
  | { kind: 'changed'; text: string }
  | { kind: 'refused'; reason: string | null }
  /** The service gave no answer in time, or an invalid one. */
  | { kind: 'down'; why: string };

const maxReason = 300;
const maxAnswerBytes = 1024 * 1024;
const inputTypes = { prompt: 'request', image: 'response' } as const satisfies Record<Stage, string>;

/** Asks a guardrail service: https://docs.litellm.ai/docs/adding_provider/generic_guardrail_api */
export async function askHook(
  url: string,
  question: Question,
  {
    timeoutMs,
    key,
    signal,
  }: Pick<GuardrailSettings, 'timeoutMs'> & { key: string | null; signal: AbortSignal },
): Promise<Answer> {
  const body = jsonBody(bodyOf(question));
  try {
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: {
        'user-agent': userAgent,
        'content-type': body.type,
        ...(key !== null && { 'x-api-key': key }),
      },
      // The cast is needed because the panel's type check uses the browser's stream types.
      body: Readable.toWeb(body.stream()) as ReadableStream,
      duplex: 'half',
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    };
    const answer = await fetch(url, init);
    if (!answer.ok) {
      await answer.body?.cancel();
      return { kind: 'down', why: `it answers ${answer.status}` };
    }
    return readAnswer(JSON.parse(await readText(answer, maxAnswerBytes)), question);
  } catch (error) {
    signal.throwIfAborted();
    // Here our own storage is down, not the guardrail service.
    if (error instanceof Error && error.cause instanceof UnreadableInput) throw error.cause.cause;
    return { kind: 'down', why: describeFailure(error) };
  }
}

function bodyOf({ stage, accountId, keyId, callId, model, text, images }: Question) {
  return {
    input_type: inputTypes[stage],
    texts: stage === 'prompt' ? [text] : [],
    images: images.map((image) => new Base64Image(image, 'data-uri')),
    model,
    litellm_call_id: callId,
    litellm_trace_id: callId,
    request_data: { user_api_key_team_id: accountId, user_api_key_hash: keyId },
    additional_provider_specific_params: {},
    ...{ structured_messages: null, tools: null },
  };
}

function readAnswer(json: unknown, { stage, text }: Question): Answer {
  const { action, blocked_reason: why, texts } = Object(json) as Record<string, unknown>;
  const reason = typeof why === 'string' ? oneLine(why.slice(0, maxReason)) || null : null;
  switch (action) {
    case 'NONE':
      return { kind: 'allowed' };
    case 'BLOCKED':
      return { kind: 'refused', reason };
    case 'GUARDRAIL_INTERVENED': {
      // An image is released unchanged or not at all.
      if (stage === 'image') return { kind: 'refused', reason };
      const [changed, ...more] = Array.isArray(texts) ? texts : [];
      if (typeof changed !== 'string' || changed.trim() === '') return { kind: 'refused', reason };
      if (more.length > 0) return { kind: 'down', why: 'its answer has more texts than the question' };
      if (changed === text) return { kind: 'allowed' };
      return isPrompt(changed)
        ? { kind: 'changed', text: changed }
        : { kind: 'down', why: 'its text is one that no client could have sent' };
    }
    default:
      return { kind: 'down', why: `its action is ${String(JSON.stringify(action)).slice(0, maxReason)}` };
  }
}

function isPrompt(text: string): boolean {
  return text.length <= maxPromptLength && !text.includes('\0') && text.isWellFormed();
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
}
