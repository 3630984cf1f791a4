import assert from 'node:assert/strict';
import fc from 'fast-check';
import { creditAccount } from '../../../src/accounts/credit-account.ts';
import { debitAccount } from '../../../src/accounts/debit-account.ts';
import { commandLine } from '../../../src/base/audit/audit-store.ts';
import { AppError, type ErrorCode } from '../../../src/errors.ts';
import { pause, resume } from '../../../src/jobs/admission/pause-store.ts';
import { changeLimits } from '../../../src/money/limits/change-limits.ts';
import type { Meter } from '../../../src/money/limits/limit.ts';
import { tellLowBalances } from '../../../src/notify/alerts/tell-low-balances.ts';
import type { ModelId } from '../../../src/upstream/catalog/models.ts';
import { specifiedIds as modelIds } from '../../../src/upstream/catalog/specified-models.ts';
import { addTo, type ModelAccount, take } from '../model.ts';
import { accountAt, accountIndex, type Kind, step } from './step.ts';
import { letPass } from './time.ts';

type Money = { account: number; amount: bigint; reference: string | null };
const money = fc.record({
  account: accountIndex,
  amount: fc.oneof(fc.constantFrom(50_000n, 100_000n), fc.bigInt(1n, 200_000n)),
  reference: fc.option(fc.constantFrom('p1', 'p2')),
});

const most: Record<string, bigint[]> = {
  hour: [60_000n, 200_000n],
  day: [100_000n, 400_000n],
  month: [150_000n, 600_000n],
  total: [300_000n, 1_000_000n],
  open: [1n, 4n],
  waiting: [1n, 3n],
  running: [1n, 2n],
  second: [1n, 2n],
  minute: [2n, 5n],
};
const limited = fc
  .record({
    account: accountIndex,
    of: fc.nat(2),
    meter: fc.constantFrom(...(Object.keys(most) as Meter[])),
    which: fc.constantFrom(0, 1, 1, 'none' as const, 'default' as const),
  })
  .map(({ which, ...rest }) => {
    const value = typeof which === 'number' ? (most[rest.meter]?.[which] ?? 0n) : which;
    return { ...rest, most: value === 'none' ? null : value };
  });
type Limited = typeof limited extends fc.Arbitrary<infer Value> ? Value : never;

export const operators: Record<string, Kind> = {
  credit: { weight: 1, steps: money.map(credit) },
  debit: { weight: 2, steps: money.map(debit) },
  limit: { weight: 4, steps: limited.map(limit) },
  pause: { weight: 1, steps: fc.constantFrom('project' as const, ...modelIds).map(togglePause) },
};

function credit(drawn: Money) {
  return step('credit', drawn, async (state, { database }) => {
    const account = accountAt(state, drawn.account);
    const moved = creditAccount({ database, tellBalances: tellLowBalances }, requestOf(account, drawn));
    if (await isMoved(account, 'credit', drawn, moved)) addTo(account, drawn.amount);
  });
}

function debit(drawn: Money) {
  return step('debit', drawn, async (state, { database }) => {
    const account = accountAt(state, drawn.account);
    const told = { database, tellBalances: tellLowBalances };
    const moved = debitAccount(told, requestOf(account, drawn), commandLine);
    if (await isMoved(account, 'debit', drawn, moved)) take(account, drawn.amount);
  });
}

function requestOf({ id }: ModelAccount, { amount, reference }: Money) {
  return { account: id, amountMicros: amount, reason: 'a test', ...(reference !== null && { reference }) };
}

async function isMoved(
  account: ModelAccount,
  kind: 'credit' | 'debit',
  { amount, reference }: Money,
  moved: Promise<{ isReplay: boolean }>,
): Promise<boolean> {
  const before = reference === null ? undefined : account.moved.get(reference);
  const refused = async (code: ErrorCode) => {
    await assert.rejects(moved, (error) => error instanceof AppError && error.code === code);
    return false;
  };
  if (before && (before.kind !== kind || before.amount !== amount)) return refused('reference_reused');
  if (!before && kind === 'debit' && amount > account.balance - account.reserved)
    return refused('insufficient_funds');
  assert.equal((await moved).isReplay, before !== undefined);
  if (reference !== null) account.moved.set(reference, { kind, amount });
  return before === undefined;
}

function limit(drawn: Limited) {
  return step('limit', drawn, async (state, system) => {
    const { meter, most } = drawn;
    const account = accountAt(state, drawn.account);
    const id = account.keys[drawn.of]?.id ?? '';
    const kind = id === account.id ? 'account' : 'key';
    const { defaults, limits } = state;
    const limited = {
      accountId: account.id,
      subject: { kind, id },
      changes: { [meter]: most },
      defaults,
    } as const;
    await system.database.transaction((tx) => changeLimits(tx, limited, commandLine));
    const isNone = most === 'default' || (most === null && defaults[kind][meter] === undefined);
    if (isNone) limits.delete(`${id} ${meter}`);
    else limits.set(`${id} ${meter}`, most);
    // A recently used key is cached for a second, together with its rates.
    if (meter === 'second' || meter === 'minute') await letPass(state, system, 1_000);
  });
}

function togglePause(scope: 'project' | ModelId) {
  return step('pause', scope, async (state, { database }) => {
    const wasPaused = state.paused.delete(scope);
    if (!wasPaused) state.paused.add(scope);
    await database.transaction(async (tx) => {
      if (wasPaused) await resume(tx, scope);
      else await pause(tx, { scope, reason: null, until: null });
    });
  });
}
