import { createHmac, timingSafeEqual } from 'node:crypto';

// A code has six digits, and three codes are right at any time, so one guess in 333,000 succeeds. After the fifth wrong
// code in a row, each wrong code costs a wait, which doubles up to an hour. After a hundred (the most that NIST SP
// 800-63B allows), no code is accepted until an operator has created a one-time link. A hundred guesses therefore
// succeed with a probability of 1 in 3,300.
const freeWrongCodes = 5;
export const maxWrongCodes = 100;
const firstWaitMs = 30_000;
const maxWaitMs = 60 * 60_000;
/** The clocks of two servers differ by less, or else codes would not work. */
const maxSkewMs = 60_000;

// RFC 6238 as in every authenticator app: SHA-1, 30 seconds, six digits. Phone clocks may be off by half a minute.
export const stepMs = 30_000;
const drift = 1;
export const digits = 6;

export interface CodeState {
  /** The number of wrong codes since the last right one. */
  failures: number;
  lockedUntil: number;
  /** The time step of the newest accepted code. Codes up to this step are used up. */
  lastStep: number;
}

export type CodeDecision =
  | { verdict: 'right'; with: 'authenticator' | 'backup code'; state: CodeState }
  | { verdict: 'wrong'; state: CodeState }
  | { verdict: 'too_early'; waitMs: number }
  | { verdict: 'barred' };

export function decideCode(
  state: CodeState,
  {
    code,
    secret,
    isBackupCode,
    nowMs,
  }: { code: string; secret: string; isBackupCode: boolean; nowMs: number },
): CodeDecision {
  if (state.failures >= maxWrongCodes) return { verdict: 'barred' };
  const waitMs = state.lockedUntil - nowMs;
  // A wait that seems longer than any given one began before the clock was set back.
  const longestMs = waitAfterWrongCodes(state.failures) + maxSkewMs;
  if (waitMs > 0 && waitMs <= longestMs) return { verdict: 'too_early', waitMs };
  const lastStep = stepsAround(nowMs).find(
    (step) => step > state.lastStep && isEqual(code, codeOf(secret, step)),
  );
  if (lastStep !== undefined)
    return { verdict: 'right', with: 'authenticator', state: { ...fresh, lastStep } };
  if (isBackupCode)
    return { verdict: 'right', with: 'backup code', state: { ...fresh, lastStep: state.lastStep } };
  const failures = state.failures + 1;
  const lockedUntil = nowMs + waitAfterWrongCodes(failures);
  return { verdict: 'wrong', state: { failures, lockedUntil, lastStep: state.lastStep } };
}

const fresh = { failures: 0, lockedUntil: 0 };

export function waitAfterWrongCodes(failures: number): number {
  if (failures < freeWrongCodes) return 0;
  return Math.min(maxWaitMs, firstWaitMs * 2 ** (failures - freeWrongCodes));
}

function stepsAround(nowMs: number): number[] {
  const step = Math.floor(nowMs / stepMs);
  return Array.from({ length: 2 * drift + 1 }, (_, index) => step - drift + index);
}

function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits).padStart(digits, '0');
}

function isEqual(given: string, expected: string): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === expected.length && timingSafeEqual(bytes, Buffer.from(expected));
}
