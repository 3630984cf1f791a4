import type { Caller } from './callers.ts';
import type { Call } from './calls.ts';
import { compareDumps, takeDump } from './dump.ts';
import { findWrong, refusalOf } from './expect.ts';
import { addressOf, bodyFor } from './fill.ts';
import type { Report } from './report.ts';
import { type Answer, inParallel, send } from './send.ts';
import type { Target } from './target.ts';
import { whoMay } from './who-may.ts';

const atOnce = 8;

/**
 * Lets every caller make every call. A caller without the right sends existing ids and a body that would have an
 * effect; it must be refused and change nothing. A caller with the right reads existing ids, and changes unknown ones.
 */
export async function tryRights(target: Target, report: Report, { full }: { full: boolean }): Promise<void> {
  // Reads come first, while everything still exists.
  const calls = target.calls.toSorted((one, other) => Number(other.reads) - Number(one.reads));
  for (const call of calls) compareRules(call, report);
  const callers = [...target.cast.callers.values()];
  const known = calls.filter((call) => whoMay(call) !== undefined);
  // HEAD uses the route of its GET, so a short run tries it only without a key.
  const tries = known.flatMap((call) =>
    callers
      .filter(({ name }) => full || call.method !== 'HEAD' || name === 'nobody')
      .map((caller) => ({ call, caller })),
  );
  const [mayNot, may] = [
    tries.filter(({ call, caller }) => refusalOf(call, caller)),
    tries.filter(({ call, caller }) => !refusalOf(call, caller)),
  ];
  const before = await takeDump(target.database);
  await inParallel(mayNot, atOnce, (one) => attempt(target, report, one));
  const changed = compareDumps(before, await takeDump(target.database));
  if (changed.length > 0) await findCulprits(target, report, mayNot, changed);
  await inParallel(
    may.filter(({ call }) => call.reads),
    atOnce,
    (one) => attempt(target, report, one),
  );
  for (const one of may.filter(({ call }) => !call.reads && !spends(call)))
    await attempt(target, report, one);
}

/** Whether a call ends the caller's session, as signing out does. */
export function spends({ url }: Call): boolean {
  return url === '/panel/sign-out';
}

interface Try {
  call: Call;
  caller: Caller;
}

/** Compares the rule in the call's table with `who-may.ts`. */
function compareRules(call: Call, report: Report): void {
  const { declared, family } = call;
  const said = whoMay(call);
  if (!said) report.wrong('is a call of which server/attack/who-may.ts does not say who may make it', call);
  if (!declared && ['api', 'admin', 'panel'].includes(family))
    report.wrong('stands in no table of calls', call);
  if (!said || !declared) return;
  const more = [...declared].filter((name) => !said.has(name));
  const fewer = [...said].filter((name) => !declared.has(name));
  if (more.length > 0)
    report.wrong(`lets in ${more.join(', ')} by its table, which who-may.ts does not`, call);
  if (fewer.length > 0)
    report.wrong(`refuses ${fewer.join(', ')} by its table, which who-may.ts does not`, call);
}

async function attempt(target: Target, report: Report, { call, caller }: Try): Promise<void> {
  const expected = refusalOf(call, caller);
  report.tried(call, 'rights');
  const answer = await ask(target, call, caller, expected === null && !call.reads);
  if (!answer) {
    report.wrong('gave no answer', call, caller.name);
    return target.look();
  }
  const wrong = findWrong(call, answer, expected);
  if (wrong) report.wrong(wrong, call, caller.name);
}

async function ask(
  { url }: Target,
  call: Call,
  { headers, ids }: Caller,
  forNothing: boolean,
): Promise<Answer | undefined> {
  const { account_id, account = '' } = ids;
  const asked = forNothing ? { account_id: account_id ?? '', account } : ids;
  const body = forNothing ? '{"attack":true}' : bodyFor(call, asked);
  return send(url, {
    method: call.method,
    path: addressOf(call, asked),
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  }).catch(() => undefined);
}

/** Repeats calls one at a time, to find refused calls that still changed something. */
async function findCulprits(
  { database, ...target }: Target,
  report: Report,
  tries: readonly Try[],
  changed: readonly string[],
): Promise<void> {
  let before = await takeDump(database);
  let found = 0;
  for (const { call, caller } of tries.filter(({ call }) => !call.reads)) {
    await ask({ database, ...target }, call, caller, false);
    const after = await takeDump(database);
    const rows = compareDumps(before, after);
    if (rows.length > 0) report.wrong(`refused and changed ${rows.join(' | ')}`, call, caller.name);
    found += rows.length;
    before = after;
  }
  if (found === 0) report.wrong(`refused requests changed ${changed.slice(0, 3).join(' | ')}`);
}
