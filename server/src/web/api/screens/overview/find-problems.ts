import type { Account } from '../../../../accounts/account-store.ts';
import type { Prices } from '../../../../accounts/price-groups/price-book.ts';
import type { Viewer } from '../../../../accounts/sign-in/sessions.ts';
import { readSignInFailures, watchedMinutes } from '../../../../accounts/sign-in/watch-sign-ins.ts';
import type { Database } from '../../../../base/db/database.ts';
import { isUuid } from '../../../../base/std/ids.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import { listPauses, type Pause } from '../../../../jobs/admission/pause-store.ts';
import type { QueueStatus } from '../../../../jobs/job-store.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import type { Endpoint } from '../../../../notify/webhooks/endpoints/endpoint-store.ts';
import type { Catalogue } from '../../../../upstream/catalog/catalogue.ts';

// The queue time that counts as a problem. The usual wait for a free slot is shorter.
const slowQueueMs = 60_000;
// The number of failures that counts as a problem. Fewer may be chance.
const minFailures = 5;
const badFailureRate = 0.2;

/** `text` is a sentence, and `subject` the id of a model or job. */
export interface AccountProblem {
  kind:
    | 'account_disabled'
    | 'project_paused'
    | 'model_paused'
    | 'balance_low'
    | 'webhook_failing'
    | 'webhook_disabled'
    | 'jobs_failing'
    | 'queue_slow'
    /** Shown to operators only. */
    | 'sign_ins_failing';
  severity: 'error' | 'warning';
  text: string;
  subject: string | null;
  since: string | null;
}

interface Situation {
  account: Account;
  queue: QueueStatus;
  endpoints: Endpoint[];
  lastDay: { done: number; failed: number; spentMicros: bigint };
}

/** Lists errors before warnings. */
export async function findProblems(
  { database, catalogue, prices }: { database: Database; catalogue: Catalogue; prices: Prices },
  situation: Situation,
  viewer: Pick<Viewer, 'operator'>,
): Promise<AccountProblem[]> {
  const priceOf = prices.of(situation.account.id);
  const all = catalogue
    .list()
    .flatMap((model) => [...model.resolutions.keys()].map((resolution) => priceOf(model, resolution)));
  const cheapest = all.reduce((one, other) => (other < one ? other : one), all[0] ?? 0n);
  const problems = [
    ...(viewer.operator ? ofSignIns(await readSignInFailures(database.read)) : []),
    ...ofAccount(situation, cheapest),
    ...situation.endpoints.flatMap(ofEndpoint),
    ...ofQueue(situation),
    ...(await listPauses(database.read)).flatMap((pause) => ofPause(pause, situation, catalogue)),
  ];
  return problems.sort(
    (one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'),
  );
}

function ofPause(
  { scope, reason, until }: Pause,
  { account }: Situation,
  catalogue: Catalogue,
): AccountProblem[] {
  if (isUuid(scope) && scope !== account.id) return [];
  const isOfModel = scope !== 'project' && scope !== account.id;
  const ofAll = scope === 'project' ? 'The whole service' : 'This account';
  const what = isOfModel ? `The model ${catalogue.find(scope)?.name ?? scope}` : ofAll;
  const end = until === null ? '' : ` until ${toIso(until)}`;
  return [
    {
      kind: isOfModel ? 'model_paused' : 'project_paused',
      severity: isOfModel ? 'warning' : 'error',
      text: `${what} is paused${end}${reason ? `: ${reason}` : '.'}`,
      subject: scope,
      since: null,
    },
  ];
}

function ofSignIns({ count, areMany }: { count: number; areMany: boolean }): AccountProblem[] {
  if (!areMany) return [];
  const text = `${count} sign-ins failed in the last ${watchedMinutes} minutes: somebody may be guessing passwords.`;
  return [{ kind: 'sign_ins_failing', severity: 'warning', text, subject: null, since: null }];
}

function ofAccount({ account, lastDay }: Situation, cheapest: bigint): AccountProblem[] {
  const { disabledAt, disabledReason } = account;
  if (disabledAt !== null) {
    const text = `This account is disabled: ${disabledReason}`;
    return [{ kind: 'account_disabled', severity: 'error', text, subject: null, since: toIso(disabledAt) }];
  }
  const available = account.balanceMicros - account.reservedMicros;
  const common = { kind: 'balance_low', subject: null, since: null } as const;
  if (account.debtMicros > 0n) {
    const text = `The account owes ${formatMicros(account.debtMicros)} for a payment that was reversed, and cannot make images until that is paid.`;
    return [{ ...common, severity: 'error', text }];
  }
  if (available < cheapest) {
    return [
      {
        ...common,
        severity: 'error',
        text: `${formatMicros(available)} is available, less than any image costs.`,
      },
    ];
  }
  if (available >= lastDay.spentMicros) return [];
  const text = `${formatMicros(available)} is available; the last 24 hours cost ${formatMicros(lastDay.spentMicros)}.`;
  return [{ ...common, severity: 'warning', text }];
}

function ofEndpoint({ id, url, disabledAt, disabledReason, failingSince }: Endpoint): AccountProblem[] {
  // Shows only the host, because receivers' paths often contain a secret.
  const { host } = new URL(url);
  if (disabledAt !== null) {
    if (disabledReason === 'manual') return [];
    const why = disabledReason === 'gone' ? 'it answered 410 Gone' : 'it failed for days';
    const text = `Your webhook at ${host} no longer gets events: ${why}. Enable it to continue.`;
    return [{ kind: 'webhook_disabled', severity: 'error', text, subject: id, since: toIso(disabledAt) }];
  }
  if (failingSince === null) return [];
  const text = `Your webhook at ${host} fails to accept deliveries.`;
  return [{ kind: 'webhook_failing', severity: 'warning', text, subject: id, since: toIso(failingSince) }];
}

function ofQueue({ queue, lastDay }: Situation): AccountProblem[] {
  const problems: AccountProblem[] = [];
  const { oldestQueuedAt, oldestQueuedMs } = queue;
  if (oldestQueuedMs !== null && oldestQueuedMs > slowQueueMs) {
    const text = `The oldest of ${queue.queued} queued jobs has waited for ${Math.round(oldestQueuedMs / 1000)} seconds.`;
    problems.push({
      kind: 'queue_slow',
      severity: 'warning',
      text,
      subject: null,
      since: toIsoOrNull(oldestQueuedAt),
    });
  }
  const { failed, done } = lastDay;
  if (failed >= minFailures && failed / (failed + done) > badFailureRate) {
    const text = `${failed} of ${failed + done} jobs failed in the last 24 hours.`;
    problems.push({ kind: 'jobs_failing', severity: 'warning', text, subject: null, since: null });
  }
  return problems;
}
