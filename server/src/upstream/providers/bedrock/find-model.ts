import { pickList, pickText } from '../pick.ts';
import type { Health } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';
import { bedrockRefusal, isDenied } from './refusal.ts';

/** Whether ListFoundationModels names the model. @throws ProviderError for a refusal */
export function findModel(upstream: Upstream, answer: Answer, model: string): Health {
  // A key that is allowed to make images may not be allowed to list models.
  if (isDenied(answer))
    return {
      ok: true,
      detail: 'The credentials are accepted, but may not list models (bedrock:ListFoundationModels).',
    };
  if (!answer.ok) throw bedrockRefusal(upstream, answer);
  const models = pickList(answer.json(), 'modelSummaries');
  // An inference profile's id is a geography followed by its model's id. An ARN may hide the id.
  const listed = models.find((each) => model.endsWith(pickText(each, 'modelId') ?? '\n'));
  if (pickText(listed, 'modelLifecycle', 'status') === 'LEGACY')
    return { ok: true, detail: `Amazon is about to retire ${model}.` };
  if (listed || model.startsWith('arn:')) return { ok: true };
  const others = models.flatMap((each) => pickText(each, 'modelId') ?? []).slice(0, 10);
  return {
    ok: false,
    detail: `Bedrock does not list ${model} in this region. It lists ${others.join(', ')}.`,
  };
}
