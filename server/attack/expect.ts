import type { Caller, CallerName } from './callers.ts';
import { onOtherPages } from './callers.ts';
import type { Call, Family } from './calls.ts';
import { type Answer, codeOf } from './send.ts';
import { whoMay } from './who-may.ts';

export type Refusal = readonly [status: number, code: string];

/** Returns the refusal that the caller must get; null if the caller may make the call. */
export function refusalOf(call: Call, { name }: Caller): Refusal | null {
  if (whoMay(call)?.has(name)) return null;
  return refusals[call.family](name, call);
}

const keyMissing: Refusal = [401, 'key_missing'];
const keyInvalid: Refusal = [401, 'key_invalid'];

const refusals: Record<Family, (name: CallerName, call: Call) => Refusal> = {
  api: (name, call) => (whoMay(call)?.has('operator admin') ? toAccount(name, call) : toKeyless(name, call)),
  openai: toKeyless,
  gemini: toKeyless,
  mcp: (name, call) => (isForeignPage(name) ? [403, 'origin_refused'] : toKeyless(name, call)),
  admin(name, call) {
    if (name === 'nobody') return keyMissing;
    if (isSession(name)) return toSession(name, call);
    return isAdmin(name) ? [403, 'scope_required'] : keyInvalid;
  },
  panel(name, call) {
    if (call.method === 'POST' && onOtherPages.includes(name)) return [403, 'origin_refused'];
    if (!isSession(name)) return [401, 'session_missing'];
    return toSession(name, call);
  },
  // Calls that return jobs' images. Keys and sessions are valid there, but find only their own account's images.
  open: (name, call) => {
    if (name === 'ended session') return keyMissing;
    return isSession(name) || name === 'other key' ? [404, 'not_found'] : toKeyless(name, call);
  },
};

function toSession(name: CallerName, call: Call): Refusal {
  if (!call.reads && onOtherPages.includes(name)) return [403, 'origin_refused'];
  if (name === 'ended session') return [401, 'session_missing'];
  const isOfInstallation = /^\/(panel\/operator|admin\/v1)\//.test(call.url);
  if (name === 'other owner' && !isOfInstallation) return [404, 'not_found'];
  const isOfOperators = isOfInstallation || !whoMay(call)?.has('owner');
  return [403, isOfOperators && !name.startsWith('operator ') ? 'operator_required' : 'role_forbidden'];
}

/** API keys are admitted only if the call's row says so. */
function toAccount(name: CallerName, call: Call): Refusal {
  if (isSession(name)) return toSession(name, call);
  const isKey = name === 'key' || name === 'other key' || name === 'key of nb';
  return isKey && !whoMay(call)?.has('key') ? [403, 'key_forbidden'] : toKeyless(name, call);
}

function toKeyless(name: CallerName, call: Call): Refusal {
  const takesTokens = whoMay(call)?.has('token');
  if (name === 'nobody' || isSession(name)) return keyMissing;
  if (name === 'token elsewhere' && takesTokens) return [403, 'origin_refused'];
  if (name === 'token' || name === 'token elsewhere') return [403, 'token_forbidden'];
  if (name === 'key from elsewhere') return [403, 'address_refused'];
  return name === 'key of nb' ? [403, 'model_forbidden'] : keyInvalid;
}

function isForeignPage(name: CallerName): boolean {
  return name !== 'owner without origin' && onOtherPages.includes(name);
}

const sessions = /^(owner|developer|billing|viewer|other owner|operator|ended session)/;
function isSession(name: CallerName): boolean {
  return sessions.test(name);
}

function isAdmin(name: CallerName): boolean {
  return name.startsWith('admin ');
}

/** The codes of refusals that depend only on the caller. */
const ofRights = new Set([
  ...[
    'key_missing',
    'key_invalid',
    'key_forbidden',
    'token_forbidden',
    'origin_refused',
    'address_refused',
    'model_forbidden',
  ],
  ...['scope_required', 'session_missing', 'second_factor_required', 'operator_required', 'role_forbidden'],
  'account_disabled',
]);

/** Returns what is wrong with an answer. Only our own APIs have codes to compare, and answers to HEAD have no body. */
export function findWrong(call: Call, answer: Answer, expected: Refusal | null): string | undefined {
  const { status } = answer;
  const code = codeOf(answer);
  if (status >= 500) return `answered ${status}: ${answer.body.slice(0, 200)}`;
  if (expected) {
    const isTold = status === expected[0] && (code === undefined || code === expected[1]);
    return isTold ? undefined : `answered ${status} ${code ?? ''}, not ${expected.join(' ')}`;
  }
  if (status === 401 || (code !== undefined && ofRights.has(code)))
    return `refused with ${status} ${code ?? ''}`;
  if (call.reads && status >= 400 && !answersOtherwise.test(call.url))
    return `answered ${status} ${code ?? ''} to somebody who may`;
  return undefined;
}

/** Reads that rightly get a refusal: an unsigned image, a missing logo, a stream that the protocol no longer has. */
const answersOtherwise = /^\/(images\/|brand\/|mcp$)/;
