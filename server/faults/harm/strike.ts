import { setTimeout as sleep } from 'node:timers/promises';
import type { Cast, ServerProcess } from '../cast.ts';
import type { ServerRole } from '../plan.ts';
import type { Random } from '../random.ts';

const lookAgainMs = 50;
// How long to wait for the target, longer than a process takes to come back.
const waitForTargetMs = 100_000;

interface Struck {
  pid: number;
  name: string;
}

/** Returns whether the process was hit. */
type Strike = (server: ServerProcess) => boolean | undefined;

export async function strike(
  cast: Cast,
  role: ServerRole,
  random: Random,
  hit: Strike,
): Promise<Partial<Struck>> {
  const struck = await tryToStrike(cast, role, random, waitForTargetMs, hit);
  if (!struck) cast.findings.push(`no ${role} process could be hit for ${waitForTargetMs} ms`);
  return struck ?? {};
}

/** @returns undefined if no process was ready in time */
export async function tryToStrike(
  { servers }: Cast,
  role: ServerRole,
  random: Random,
  withinMs: number,
  hit: Strike,
): Promise<Struck | undefined> {
  for (
    const giveUpAt = performance.now() + withinMs;
    performance.now() < giveUpAt;
    await sleep(lookAgainMs)
  ) {
    const [first, ...rest] = servers.filter((server) => server.roles.includes(role));
    const target = first && random.pick([first, ...rest]);
    const pid = target?.child.pid();
    if (target?.child.isReady() && pid !== undefined && hit(target) !== false)
      return { pid, name: target.child.name };
  }
}
