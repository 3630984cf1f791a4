import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Meter, secondBounds } from '../../base/metrics/meter.ts';
import type { Log } from '../../base/std/log.ts';
import { runSpan } from '../../base/tracing/run-span.ts';
import { contextOf } from '../../base/tracing/trace-context.ts';
import type { Tracing } from '../../base/tracing/tracing.ts';
import { AppError } from '../../errors.ts';
import { type ImageStore, StoreError } from '../../images/image-store.ts';
import type { SentImage } from '../../upstream/providers/body.ts';
import { type Answer, askHook, type Question } from './ask-hook.ts';
import type { GuardrailPolicy, GuardrailSettings, Stage } from './guardrail-settings.ts';
import type { Refusal, RefusedBy } from './refusal.ts';
import { createWordList, type WordList } from './word-list.ts';

type Asked = Pick<Question, 'accountId' | 'keyId' | 'model'>;

export interface Guardrail {
  asks(stage: Stage, accountId: string): boolean;
  /** Checks a prompt with the word list alone, without the service. Null if it passes. */
  findBlocked(accountId: string, prompt: string): AppError | null;
  /**
   * Returns the prompt to use, which the guardrail may have changed.
   * @throws PromptRefused; AppError `overloaded`, `storage_unavailable`
   */
  checkPrompt(
    request: Asked & {
      requestId: string;
      prompt: string;
      inputs: readonly { key: string; mediaType: string; bytes: number }[];
    },
    signal: AbortSignal,
  ): Promise<string>;
  /** Null if the image is released. */
  checkImage(
    job: Asked & { jobId: string; requestId: string | null; png: Uint8Array },
    signal: AbortSignal,
  ): Promise<Withheld | null>;
  note(refusal: Refusal): Promise<void>;
}

/** The error for a prompt that only the operator's policy refuses. */
export class PromptRefused extends AppError {
  readonly refusedBy: RefusedBy;

  /** `reason` is shown to the client, if present. */
  constructor(refusedBy: RefusedBy, reason: string | null) {
    super('prompt_refused', withReason('The policy of this service refuses the request.', reason));
    this.refusedBy = refusedBy;
  }
}

interface GuardrailDeps extends Pick<Guardrail, 'note'> {
  images: Pick<ImageStore, 'get'>;
  meter: Meter;
  tracing: Tracing;
  log: Log;
}

export interface Withheld {
  /** A sentence for the client. */
  message: string;
  /** Null if the image could not be checked. */
  refusedBy: RefusedBy | null;
}

// How long an image, which has already cost money, waits for a service that is down: enough for a restart.
const patienceMs = 60_000;
const askAgainMs = 1_000;
const retryAfterSeconds = 10;

export function createGuardrail(policy: GuardrailPolicy, deps: GuardrailDeps): Guardrail {
  const ask = createAsk(policy, deps);
  const rulesOf = createRules(policy);
  return {
    asks(stage, accountId) {
      const { settings, hasWords } = rulesOf(accountId);
      return settings.stages.includes(stage) && (settings.url !== null || (stage === 'prompt' && hasWords));
    },
    findBlocked(accountId, prompt) {
      const { settings, blocked } = rulesOf(accountId);
      return settings.stages.includes('prompt') ? refusedByWords(blocked, prompt) : null;
    },
    async checkPrompt({ prompt, inputs, requestId, ...asked }, signal) {
      const { settings, blocked, masked } = rulesOf(asked.accountId);
      const refused = refusedByWords(blocked, prompt);
      if (refused) throw refused;
      const text = masked.mask(prompt);
      const { url } = settings;
      if (url === null) return text;
      const images = inputs.map((input) => storedImage(deps.images, input));
      const question = { ...asked, stage: 'prompt', callId: requestId, text, images } as const;
      const answer = await ask(question, { ...settings, url }, { requestId, signal }).catch(rethrow);
      if (answer.kind === 'refused') throw refusedByService(answer.reason);
      if (answer.kind === 'down' && settings.whenDown === 'refuse') throw unchecked();
      return answer.kind === 'changed' ? answer.text : text;
    },
    async checkImage({ png, jobId, requestId, ...asked }, signal) {
      const { settings } = rulesOf(asked.accountId);
      const { url } = settings;
      if (url === null) return null;
      const images = [madeImage(png)];
      const question = { ...asked, stage: 'image', callId: jobId, text: '', images } as const;
      for (const giveUpAt = performance.now() + patienceMs; ; ) {
        const answer = await ask(question, { ...settings, url }, { requestId, signal });
        if (answer.kind === 'refused') return refusedImage(answer.reason);
        if (answer.kind !== 'down' || settings.whenDown === 'allow') return null;
        if (performance.now() > giveUpAt) return uncheckedImage;
        await sleep(askAgainMs, undefined, { signal });
      }
    },
    note: deps.note,
  };
}

function createAsk({ key }: GuardrailPolicy, deps: GuardrailDeps) {
  const seconds = deps.meter.histogram(
    'darkroom_policy_seconds',
    'Duration of a check by the policy service, by outcome.',
    ['stage', 'outcome'],
    secondBounds,
  );
  return async (
    question: Question,
    { url, timeoutMs, whenDown }: GuardrailSettings & { url: string },
    { requestId, signal }: { requestId: string | null; signal: AbortSignal },
  ): Promise<Answer> => {
    const began = performance.now();
    const { stage, accountId } = question;
    const answer = await runSpan(
      deps.tracing,
      { parent: contextOf(requestId), name: 'policy', kind: 'client', fields: { 'darkroom.stage': stage } },
      () => askHook(url, question, { timeoutMs, key, signal }),
    );
    seconds.observe((performance.now() - began) / 1000, [stage, answer.kind]);
    if (answer.kind === 'down')
      deps.log.error('policy.down', { stage, account_id: accountId, so: whenDown, reason: answer.why });
    return answer;
  };
}

function createRules(policy: GuardrailPolicy) {
  const ruleSets = new Map<GuardrailSettings, RuleSet>();
  return (accountId: string) => {
    const settings = policy.accounts.get(accountId) ?? policy.usual;
    const known = ruleSets.get(settings) ?? ruleSetOf(settings);
    ruleSets.set(settings, known);
    return known;
  };
}

interface RuleSet {
  settings: GuardrailSettings;
  hasWords: boolean;
  blocked: WordList;
  masked: WordList;
}

function ruleSetOf(settings: GuardrailSettings): RuleSet {
  const { blockWords, maskWords } = settings;
  return {
    settings,
    hasWords: blockWords.length + maskWords.length > 0,
    blocked: createWordList(blockWords),
    masked: createWordList(maskWords),
  };
}

/** Only the operator sees the word, because clients who knew the word could avoid it. */
function refusedByWords(blocked: WordList, prompt: string): PromptRefused | null {
  const word = blocked.find(prompt);
  return word === null ? null : new PromptRefused({ by: 'words', reason: word }, null);
}

function refusedByService(reason: string | null): PromptRefused {
  return new PromptRefused({ by: 'service', reason }, reason);
}

function refusedImage(reason: string | null): Withheld {
  const message = withReason('The image was made, but the policy of this service refuses it.', reason);
  return { message, refusedBy: { by: 'service', reason } };
}

const uncheckedImage: Withheld = {
  message: 'The image was made, but could not be checked against the policy of this service.',
  refusedBy: null,
};

function unchecked(): AppError {
  const detail =
    'The request could not be checked against the policy of this service. Send it again shortly.';
  return new AppError('overloaded', detail, { retryAfterSeconds });
}

/** Always throws, because an input that the service has not seen must not count as allowed. */
function rethrow(cause: unknown): never {
  if (!(cause instanceof StoreError)) throw cause;
  const detail = 'The input images could not be read. Nothing was charged; send the request again.';
  throw new AppError('storage_unavailable', detail, {}, { cause });
}

function withReason(sentence: string, reason: string | null): string {
  return reason === null ? sentence : `${sentence} ${reason}`;
}

function storedImage(
  images: Pick<ImageStore, 'get'>,
  { key, mediaType, bytes }: { key: string; mediaType: string; bytes: number },
): SentImage {
  return {
    mediaType,
    bytes,
    async read() {
      const stored = await images.get(key);
      if (!stored) throw new Error(`the input ${key} was stored a moment ago`);
      return stored.body;
    },
  };
}

/** Encodes in pieces, because base64 of a whole image would block the event loop for tens of milliseconds. */
function madeImage(png: Uint8Array): SentImage {
  const pieces = function* () {
    for (let at = 0; at < png.byteLength; at += pieceBytes)
      yield Buffer.from(png.buffer, png.byteOffset + at, Math.min(pieceBytes, png.byteLength - at));
  };
  return { mediaType: 'image/png', bytes: png.byteLength, read: async () => Readable.from(pieces()) };
}

const pieceBytes = 65_536;
