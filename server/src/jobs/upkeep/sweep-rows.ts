import { sweepTokens } from '../../accounts/client-tokens/client-token-store.ts';
import { sweepAddressLinks } from '../../accounts/people/address-link-store.ts';
import { sweepEmails } from '../../accounts/people/outbox-store.ts';
import { forgetIdleLimits } from '../../accounts/sign-in/sign-in-limit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Log } from '../../base/std/log.ts';
import { sweepRates } from '../../money/limits/rate-store.ts';
import { deleteOldHealth } from '../../notify/webhooks/endpoints/health-store.ts';
import { deleteOldReports } from '../reports/report-store.ts';
import { createSteps } from './small-steps.ts';

// Resolved reports are kept no longer than this, because they contain visitors' addresses.
const keepReportsMs = 90 * 24 * 60 * 60_000;

/** Deletes rows that are no longer read, regardless of the account's retention. @throws the signal's reason */
export async function sweepRows(
  { database, log }: { database: Database; log: Log },
  signal: AbortSignal,
): Promise<void> {
  await database.transaction(deleteOldHealth);
  await database.transaction(sweepRates);
  await database.transaction(sweepAddressLinks);
  const emails = await database.transaction(sweepEmails);
  if (emails > 0) log.warn('emails.given_up', { emails });
  await database.transaction((tx) => deleteOldReports(tx, keepReportsMs));
  const tokens = await database.transaction(sweepTokens);
  if (tokens > 0) log.info('client_tokens.swept', { tokens });
  // Runs last, because a flood of sign-ins leaves many limits, and more arrive during the deletion.
  const step = createSteps(database, { signal });
  while ((await step(forgetIdleLimits)) > 0);
}
