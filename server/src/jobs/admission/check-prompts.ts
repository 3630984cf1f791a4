import { breathe } from '../../base/std/lateness/turns.ts';
import { AppError } from '../../errors.ts';
import { type Guardrail, PromptRefused } from '../guardrails/guardrail.ts';
import type { StoredInput } from '../job.ts';
import type { Payable } from './create-request.ts';

export interface PromptChecks {
  guardrail: Guardrail | null;
}

interface Checked {
  prompt: string;
  inputs: readonly StoredInput[];
  model: string;
  /** A JSON pointer into the request. */
  pointer: string;
}

/** The maximum number of concurrent checks for a batch, which leaves capacity for other creates. */
const atOnce = 16;

export function needsCheck({ guardrail }: PromptChecks, { accountId }: { accountId: string }): boolean {
  return guardrail?.asks('prompt', accountId) ?? false;
}

/** Checks each distinct request once, and returns the prompts to use, in order. @throws as `checkPrompt` */
export async function checkPrompts(
  { guardrail }: PromptChecks,
  { accountId, keyId, requestId }: Pick<Payable, 'accountId' | 'keyId' | 'requestId'>,
  requests: readonly Checked[],
  signal: AbortSignal,
): Promise<string[]> {
  if (!guardrail?.asks('prompt', accountId)) return requests.map(({ prompt }) => prompt);
  const known = new Map<string, string>();
  // The id includes the model, because a policy may refuse or change a prompt for some models only.
  const idOf = ({ prompt, inputs, model }: Checked) =>
    [model, prompt, ...inputs.map(({ sha256 }) => sha256)].join('\0');
  const left = new Map(requests.toReversed().map((one) => [idOf(one), one])).entries();
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const asker = { accountId, keyId, requestId };
  let refusal: { of: Checked; error: PromptRefused } | undefined;
  const checkNext = async () => {
    for (const [id, of] of left) {
      await breathe();
      const checking = guardrail.checkPrompt({ ...asker, ...of }, either);
      known.set(
        id,
        await checking.catch((error: unknown) => {
          if (error instanceof PromptRefused) refusal ??= { of, error };
          throw error;
        }),
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, checkNext));
  } catch (error) {
    if (!refusal || refusal.error !== error) throw error;
    const { prompt, model, pointer } = refusal.of;
    const { refusedBy } = refusal.error;
    await guardrail.note({ ...asker, ...refusedBy, prompt, model, stage: 'prompt', jobId: null });
    throw placed(refusal.error, pointer);
  } finally {
    over.abort();
  }
  return requests.map((one) => known.get(idOf(one)) ?? one.prompt);
}

function placed(cause: PromptRefused, pointer: string): AppError {
  const errors = [{ pointer, detail: cause.message }];
  return new AppError(cause.code, cause.message, { ...cause.details, errors }, { cause });
}
