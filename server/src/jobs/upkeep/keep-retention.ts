import { setImmediate } from 'node:timers/promises';
import {
  dayMs,
  type Part,
  type Retention,
  type RetentionSettings,
  retentionOf,
} from '../../accounts/retention/retention.ts';
import { listOwnRetentions } from '../../accounts/retention/retention-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { idBefore } from '../../base/std/ids.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { insertRemovals } from '../../images/removals/removal-store.ts';
import { removeAll } from '../../images/remove-all.ts';
import { rollUpAccount } from '../activity/roll-up.ts';
import { deleteOldRefusals, dropOldPrompts } from '../admission/refusals/refusal-store.ts';
import { deleteOldFiles } from '../batch-files/batch-file-store.ts';
import type { GuardrailPolicy } from '../guardrails/guardrail-settings.ts';
import { type Content, dropNextContent, dropReleased, hasNextContent, hasReleased } from './content-store.ts';
import {
  deleteEndedDeliveries,
  deleteEndedJobs,
  deleteOldAudit,
  deleteOldKeys,
  deleteOldNotices,
  listOldestJobs,
  objectsOf,
} from './purge-store.ts';
import type { Step } from './small-steps.ts';

export interface RetentionDeps {
  database: Database;
  images: ImageStore;
  retention: RetentionSettings;
  guardrails: KeptRefusals | null;
  step: Step;
}

export type KeptRefusals = Pick<GuardrailPolicy, 'keepPromptsDays' | 'strikes'>;

/** The number of removed rows by part. Under `images`, the number of removed objects. */
export type Gone = { [part in Part | 'images']?: number };

// The number of accounts to read in one query. Each account takes a few index lookups.
const accountsAtOnce = 200;

export async function keepRetention(deps: RetentionDeps): Promise<Gone> {
  const gone: Gone = {};
  const own = await listOwnRetentions(deps.database.read);
  const now = await readNow(deps.database.read);
  for await (const { accountId, oldestJob, oldestNotice, oldestFile } of allAccounts(deps)) {
    const retention = retentionOf(deps.retention, own.get(accountId));
    const age = retention.jobs * dayMs;
    const hasOldJobs = oldestJob !== null && oldestJob < idBefore(now - age);
    const hasOldNotices = oldestNotice !== null && oldestNotice < now - age;
    const hasOldFiles = oldestFile !== null && oldestFile < idBefore(now - retention.prompts * dayMs);
    await keepOfAccount(deps, { accountId, hasOldJobs, hasOldNotices, hasOldFiles, retention }, gone);
    await setImmediate();
  }
  await keepAudit(deps, null, retentionOf(deps.retention).audit, gone);
  await dropOldRefusals(deps);
  return gone;
}

/** Removes old idempotency keys of accounts that keep keys for a different time than jobs. */
export async function sweepKeys(deps: Omit<RetentionDeps, 'guardrails'>): Promise<Gone> {
  const own = await listOwnRetentions(deps.database.read);
  for await (const { accountId } of allAccounts(deps)) {
    const { idempotency, jobs } = retentionOf(deps.retention, own.get(accountId));
    if (idempotency !== jobs) await dropOldKeys(deps.step, { accountId, retentionMs: idempotency * dayMs });
  }
  return {};
}

export async function dropOldKeys(step: Step, of: { accountId: string; retentionMs: number }): Promise<void> {
  let after = '';
  const dropSome = async (tx: Tx, limit: number) => {
    const swept = await deleteOldKeys(tx, { ...of, after, limit });
    after = swept.last;
    return swept.rows;
  };
  while ((await step(dropSome)) > 0);
}

export async function dropOldNotices(
  step: Step,
  of: { accountId: string; retentionMs: number },
): Promise<void> {
  while ((await step((tx, limit) => deleteOldNotices(tx, { ...of, limit }))) > 0);
}

/**
 * Removes prompts of old refusals, then the refusals themselves. The policy sets both periods for all accounts; an
 * account's own retention does not apply.
 */
async function dropOldRefusals({ step, guardrails }: RetentionDeps): Promise<void> {
  const promptsMs = (guardrails?.keepPromptsDays ?? 0) * dayMs;
  const olderThanMs = Math.max(promptsMs, guardrails?.strikes?.withinMs ?? 0);
  const older = { olderThanMs: promptsMs };
  while ((await step((tx, limit) => dropOldPrompts(tx, { ...older, limit }))) > 0);
  while ((await step((tx, limit) => deleteOldRefusals(tx, { olderThanMs, limit }))) > 0);
}

async function dropOldFiles(
  { images, step }: RetentionDeps,
  of: { accountId: string; retentionMs: number },
): Promise<void> {
  let keys: string[] = [];
  const dropSome = async (tx: Tx, limit: number) => {
    keys = await deleteOldFiles(tx, { ...of, limit });
    await insertRemovals(tx, keys);
    return keys.length;
  };
  while ((await step(dropSome, () => removeAll(images, keys))) > 0);
}

async function* allAccounts({ database }: Pick<RetentionDeps, 'database'>) {
  for (let after: string | null = null; ; ) {
    const page = await listOldestJobs(database.read, { after, limit: accountsAtOnce });
    yield* page;
    after = page.at(-1)?.accountId ?? null;
    if (page.length < accountsAtOnce) return;
  }
}

interface Of {
  accountId: string;
  /** Whether the account has old jobs, read first because most accounts have none. */
  hasOldJobs: boolean;
  hasOldNotices: boolean;
  hasOldFiles: boolean;
  retention: Retention;
}

async function keepOfAccount(deps: RetentionDeps, of: Of, gone: Gone): Promise<void> {
  const { accountId, hasOldJobs, hasOldNotices, hasOldFiles, retention } = of;
  const { step } = deps;
  // Removed jobs can no longer be counted.
  if (hasOldJobs) await rollUpAccount(accountId, step);
  if (hasOldJobs) await untilNothing(gone, 'jobs', () => purgeNext(deps, accountId, retention, gone));
  if (hasOldNotices) await dropOldNotices(step, { accountId, retentionMs: retention.jobs * dayMs });
  // Files consist mostly of prompts, so they have the retention of prompts.
  if (hasOldFiles) await dropOldFiles(deps, { accountId, retentionMs: retention.prompts * dayMs });
  for (const { part, days } of earlier(retention)) {
    await keepContent(deps, { accountId, part, days, stars: retention.stars }, gone);
  }
  if (retention.deliveries < retention.jobs)
    await untilNothing(gone, 'deliveries', () =>
      step((tx, limit) =>
        deleteEndedDeliveries(tx, { accountId, retentionMs: retention.deliveries * dayMs, limit }),
      ),
    );
  await keepAudit(deps, accountId, retention.audit, gone);
}

/**
 * Removes old jobs, rows before images. Maintenance removes an image that a crash leaves without its row, but not a row
 * without its image.
 */
async function purgeNext(
  { images, step }: RetentionDeps,
  accountId: string,
  { jobs, stars, idempotency }: Retention,
  gone: Gone,
): Promise<number> {
  const of = { accountId, retentionMs: jobs * dayMs, stars, withKeys: idempotency <= jobs };
  let keys: string[] = [];
  const purge = async (tx: Tx, limit: number) => {
    const purged = await deleteEndedJobs(tx, { ...of, limit });
    keys = objectsOf(purged);
    return purged.length;
  };
  const rows = await step(purge, () => removeAll(images, keys));
  if (keys.length > 0) gone.images = (gone.images ?? 0) + keys.length;
  return rows;
}

/** Lists parts whose retention is shorter than that of the data with which they would otherwise be removed. */
function earlier({ jobs, pictures, prompts, inputs }: Retention): { part: Content; days: number }[] {
  return [
    ...(pictures < jobs ? [{ part: 'pictures' as const, days: pictures }] : []),
    ...(prompts < pictures ? [{ part: 'prompts' as const, days: prompts }] : []),
    ...(inputs < pictures ? [{ part: 'inputs' as const, days: inputs }] : []),
  ];
}

async function keepContent(
  { database, step }: RetentionDeps,
  { accountId, part, days, stars }: { accountId: string; part: Content; days: number; stars: number },
  gone: Gone,
): Promise<void> {
  const of = { accountId, part, retentionMs: days * dayMs, stars };
  if (await hasNextContent(database.read, of))
    await untilNothing(gone, part, () => step((tx, limit) => dropNextContent(tx, { ...of, limit })));
  if (part === 'pictures' && (await hasReleased(database.read, of)))
    await untilNothing(gone, part, () => step((tx, limit) => dropReleased(tx, { ...of, limit })));
}

async function keepAudit(
  { step }: RetentionDeps,
  accountId: string | null,
  days: number | null,
  gone: Gone,
): Promise<void> {
  if (days === null) return;
  await untilNothing(gone, 'audit', () =>
    step((tx, limit) => deleteOldAudit(tx, { accountId, retentionMs: days * dayMs, limit })),
  );
}

async function untilNothing(gone: Gone, part: Part, work: () => Promise<number>): Promise<void> {
  for (let rows = await work(); rows > 0; rows = await work()) gone[part] = (gone[part] ?? 0) + rows;
}
