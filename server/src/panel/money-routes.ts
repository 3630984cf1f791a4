import Type from 'typebox';
import { readCursor, writeCursor } from '../http/cursor.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { closed, oneOf } from '../http/schemas.ts';
import { type Change, changeOf } from '../ledger/entry.ts';
import { formatMicros } from '../ledger/money.ts';
import { toIso } from '../std/iso-time.ts';
import type { Entry, Page } from './contract.ts';
import { csv } from './csv.ts';
import { type EntryFilter, listEntriesAfter, listEntryPage } from './entry-page-store.ts';
import type { PanelDeps } from './panel-deps.ts';
import { readPresentedBalance } from './present-balance.ts';
import { presentEntry } from './present-entry.ts';

const defaultPageSize = 50;
const csvPageSize = 1_000;

/** The balance of an account and every entry that made it. */
export function moneyRoutes(deps: PanelDeps): PanelRoute[] {
  return [
    panelCall('GET /panel/accounts/:account_id/balance', {
      handle: ({ params }) => readPresentedBalance(deps.database.read, params.account_id),
    }),

    panelCall('GET /panel/accounts/:account_id/entries', {
      query: closed({
        cursor: Type.Optional(Type.String({ maxLength: 300 })),
        limit: Type.Optional(Type.String({ pattern: '^([1-9]|[1-9][0-9]|1[0-9][0-9]|200)$' })),
        kind: Type.Optional(oneOf(['credit', 'reserve', 'capture', 'release'])),
      }),
      handle: ({ params, query }) =>
        listEntries(deps, {
          accountId: params.account_id,
          limit: Number(query.limit ?? defaultPageSize),
          cursor: query.cursor,
          ...(query.kind && { kind: query.kind }),
        }),
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

/** The running balance goes along in the cursor: entries never change, so it still holds on the next page. */
async function listEntries(
  { database }: PanelDeps,
  { cursor, limit, ...filter }: EntryFilter & { cursor: string | undefined },
): Promise<Page<Entry>> {
  const [before, balance, reserved] = readCursor(cursor, ['number', 'micros', 'micros']) ?? [];
  const page = await listEntryPage(database.read, {
    ...filter,
    limit: limit + 1,
    ...(before !== undefined && { before }),
  });
  let after: Change = {
    balance: page.balance?.balanceMicros ?? 0n,
    reserved: page.balance?.reservedMicros ?? 0n,
  };
  if (balance !== undefined && reserved !== undefined)
    after = { balance: BigInt(balance), reserved: BigInt(reserved) };

  const data = page.entries.slice(0, limit).map((entry) => {
    const presented = presentEntry(entry, filter.kind === undefined ? after : null);
    const change = changeOf(entry);
    after = { balance: after.balance - change.balance, reserved: after.reserved - change.reserved };
    return presented;
  });
  const last = data.at(-1);
  const hasMore = page.entries.length > limit && last !== undefined;
  return {
    data,
    next_cursor: hasMore ? writeCursor([last.entry_id, String(after.balance), String(after.reserved)]) : null,
  };
}

async function* entryRows({ database }: PanelDeps, accountId: string) {
  let sum: Change = { balance: 0n, reserved: 0n };
  for (let after = 0; ; ) {
    const entries = await listEntriesAfter(database.read, { accountId, after, limit: csvPageSize });
    for (const entry of entries) {
      const change = changeOf(entry);
      sum = { balance: sum.balance + change.balance, reserved: sum.reserved + change.reserved };
      yield [
        ...[entry.id, toIso(entry.createdAt), entry.kind, formatMicros(entry.amountMicros)],
        ...[change.balance, change.reserved, sum.balance, sum.reserved].map(formatMicros),
        ...[entry.jobId, entry.reason],
      ];
    }
    after = entries.at(-1)?.id ?? after;
    if (entries.length < csvPageSize) return;
  }
}
