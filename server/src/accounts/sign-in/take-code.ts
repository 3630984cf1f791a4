import { insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import type { Clock } from '../../base/std/clock.ts';
import { AppError } from '../../errors.ts';
import type { AuthenticatorSeals } from './authenticator-seals.ts';
import { lockCodeState, putCodeState } from './authenticator-store.ts';
import { decideCode } from './decide-code.ts';
import { refusal } from './refusal.ts';

export interface Code {
  person: { id: string; name: string };
  address: string;
  code: string;
  of: 'confirmed' | 'unconfirmed';
  /** Runs in the transaction that accepts the code, so that no other authenticator can take this one's place. */
  onRight?(tx: Tx, authenticatorId: string): Promise<void>;
}

// The maximum number of checks of one code. A check is repeated if another code changed the person's state meanwhile.
const maxTries = 5;

/**
 * Checks a code. Across all processes, a person's codes are checked one at a time, and a wrong code is counted before
 * the answer.
 * @throws AppError `sign_in_refused`, `too_many_requests`, `authenticator_unreadable`
 */
export async function takeCode(
  deps: { database: Database; clock: Clock; authenticators: AuthenticatorSeals },
  { person, address, code, of, onRight }: Code,
): Promise<'authenticator' | 'backup code'> {
  const { database, clock, authenticators } = deps;
  await authenticators.renew(person.id);
  for (let attempt = 1; attempt <= maxTries; attempt++) {
    const authenticator = await authenticators.read(person.id);
    if (!authenticator || authenticator.confirmed !== (of === 'confirmed')) throw refusal();
    const { sealed, secret, backupCodes } = authenticator;
    const isBackupCode = authenticator.confirmed && backupCodes.includes(code);
    const remaining = isBackupCode
      ? await authenticators.seal(JSON.stringify(backupCodes.filter((one) => one !== code)))
      : sealed.backupCodes;
    const decision = await database.transaction(async (tx) => {
      const state = await lockCodeState(tx, sealed);
      if (!state) return undefined;
      const decision = decideCode(state, { code, secret, isBackupCode, nowMs: clock.nowMs() });
      if (decision.verdict === 'wrong') {
        await putCodeState(tx, sealed, decision.state);
        const detail = { in_a_row: decision.state.failures };
        const entry = { action: 'code.refused' as const, accountId: null, subject: null, detail };
        await insertAuditEntry(tx, { personId: person.id, name: person.name, address }, entry);
      }
      if (decision.verdict === 'right') {
        const isSpent = decision.with === 'backup code';
        await putCodeState(tx, { ...sealed, ...(isSpent && { backupCodes: remaining }) }, decision.state);
        await onRight?.(tx, sealed.id);
      }
      return decision;
    });
    if (!decision) continue;
    if (decision.verdict === 'right') return decision.with;
    if (decision.verdict === 'wrong') throw refusal();
    throw tooMany(decision.verdict === 'too_early' ? decision.waitMs : undefined);
  }
  throw refusal();
}

function tooMany(waitMs: number | undefined): AppError {
  if (waitMs === undefined) {
    return new AppError('too_many_requests', 'Too many wrong codes. Ask an operator for a one-time link.');
  }
  return new AppError(
    'too_many_requests',
    'Too many wrong codes. Wait a moment, or ask an operator for a one-time link.',
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
}
