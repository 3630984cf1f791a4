import { actorOf, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import { readNow } from '../../../base/db/rows.ts';
import { newId } from '../../../base/std/ids.ts';
import { lockBalances, readBalances } from '../../../money/ledger/ledger-store.ts';
import type { GuardrailPolicy } from '../../guardrails/guardrail-settings.ts';
import type { Refusal } from '../../guardrails/refusal.ts';
import { insertRefusal } from './refusal-store.ts';
import { strikeIfOften } from './strike.ts';

const thePolicy = actorOf('policy');
const actions = { prompt: 'prompt.refused', image: 'image.refused' } as const;
const codes = { prompt: 'prompt_refused', image: 'policy_refused' } as const;

/** Records a refusal. Its prompt is stored separately, if the operator keeps it. Too many refusals make a strike. */
export async function noteRefusal(
  database: Database,
  { keepPromptsDays, strikes }: Pick<GuardrailPolicy, 'keepPromptsDays' | 'strikes'>,
  { accountId, keyId, jobId, stage, by, reason, model, requestId, prompt }: Refusal,
): Promise<void> {
  await database.transaction(async (tx) => {
    const [account] = await (strikes ? lockBalances : readBalances)(tx, [accountId]);
    if (account?.isErased !== false) return;
    const detail = { key: keyId, stage, code: codes[stage], by, reason, model, request: requestId };
    const subject = jobId ?? keyId;
    await insertAuditEntry(tx, thePolicy, { action: actions[stage], accountId, subject, detail });
    if (keepPromptsDays === 0 && !strikes) return;
    const id = newId(await readNow(tx));
    const kept = keepPromptsDays === 0 ? null : prompt;
    await insertRefusal(tx, { id, accountId, keyId, jobId, stage, reason, prompt: kept });
    if (strikes) await strikeIfOften(tx, strikes, accountId, thePolicy);
  });
}
