import Type from 'typebox';
import { maySeePictures } from '../../accounts/people/may-see-pictures.ts';
import { readEntries } from '../../api/nouns/money/entry-calls.ts';
import { closed, oneOf } from '../../http/schemas.ts';
import { findOwnJobs } from '../../jobs/job-list-store.ts';
import { type Change, changeOf, entryKinds } from '../../ledger/entry.ts';
import { listEntriesAfter } from '../../ledger/entry-page-store.ts';
import { formatMicros } from '../../ledger/money.ts';
import { readPresentedBalance } from '../../ledger/present-balance.ts';
import { toIso } from '../../std/iso-time.ts';
import { csv } from '../csv.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { shownPromptLength } from '../shown-prompt.ts';

const defaultPageSize = 50;
const csvPageSize = 1_000;

/** The balance of an account and its entries. */
export function moneyCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/balance', {
      handle: ({ params }) => readPresentedBalance(deps.database.read, params.account_id),
    }),

    panelCall('GET /panel/accounts/:account_id/entries', {
      query: closed({
        cursor: Type.Optional(Type.String({ maxLength: 300 })),
        limit: Type.Optional(Type.String({ pattern: '^([1-9]|[1-9][0-9]|1[0-9][0-9]|200)$' })),
        kind: Type.Optional(oneOf(entryKinds)),
      }),
      async handle({ params: { account_id: accountId }, query, viewer }) {
        const limit = Number(query.limit ?? defaultPageSize);
        const page = await readEntries(deps, { ...query, accountId, limit });
        const ids = new Set(page.data.flatMap((entry) => entry.job_id ?? []));
        const mayRead = await maySeePictures(deps.database.read, viewer, accountId);
        const jobs = mayRead
          ? await findOwnJobs(deps.database.read, accountId, [...ids], shownPromptLength)
          : [];
        const prompts = new Map(jobs.map(({ id, prompt }) => [id, prompt]));
        const data = page.data.map((entry) => ({
          ...entry,
          prompt: prompts.get(entry.job_id ?? '') ?? null,
        }));
        return { ...page, data };
      },
    }),

    panelCall('GET /panel/accounts/:account_id/entries.csv', {
      async handle({ params }) {
        const header = [
          'entry_id',
          'created_at',
          'kind',
          'amount',
          'balance_change',
          'reserved_change',
          'balance_after',
          'reserved_after',
          'job_id',
          'reason',
        ];
        return csv('entries.csv', header, entryRows(deps, params.account_id));
      },
    }),
  ];
}

async function* entryRows({ database, ids }: PanelDeps, accountId: string) {
  let sum: Change = { balance: 0n, reserved: 0n };
  for (let after = 0; ; ) {
    const entries = await listEntriesAfter(database.reports, { accountId, after, limit: csvPageSize });
    for (const entry of entries) {
      const change = changeOf(entry);
      sum = { balance: sum.balance + change.balance, reserved: sum.reserved + change.reserved };
      yield [
        ...[
          ids.seal('entry', entry.id),
          toIso(entry.createdAt),
          entry.kind,
          formatMicros(entry.amountMicros),
        ],
        ...[change.balance, change.reserved, sum.balance, sum.reserved].map(formatMicros),
        ...[entry.jobId, entry.reason],
      ];
    }
    after = entries.at(-1)?.id ?? after;
    if (entries.length < csvPageSize) return;
  }
}
