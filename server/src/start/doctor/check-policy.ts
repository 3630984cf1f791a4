import { readNames } from '../../accounts/names-store.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { GuardrailPolicy } from '../../jobs/guardrails/guardrail-settings.ts';
import type { Finding } from './finding.ts';

/** Checks the policy's account ids: a mistyped one would leave its account under the usual rules. */
export async function checkPolicy(queries: Queries, { accounts }: GuardrailPolicy): Promise<Finding> {
  const name = 'policy';
  const ids = [...accounts.keys()];
  const known = await readNames(queries, 'accounts', ids);
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0)
    return { name, status: 'ok', found: `accounts with their own rules: ${ids.length}` };
  return {
    name,
    status: 'warn',
    found: `policy.accounts names unknown accounts: ${unknown.join(', ')}`,
    next: 'correct the ids: darkroom account list shows them',
  };
}
