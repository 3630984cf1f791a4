import { fillMemory } from './fill-memory.ts';
import { Report } from './report.ts';
import { sendSlowly } from './send-slowly.ts';
import { openTarget, type TargetOptions } from './target.ts';
import { tryBodies } from './try-bodies.ts';
import { tryForeignIds } from './try-foreign-ids.ts';
import { tryRights } from './try-rights.ts';

export interface AttackOptions extends TargetOptions {
  /** `short`: for each call, only one admitted caller sends bodies, and only as JSON. */
  extent: 'short' | 'full';
  /** The time limit of an event-loop turn. A longer turn is a finding. */
  mostTurnMs: number;
  onProgress?: (line: string) => void;
}

export interface Attack {
  text: string;
  wrongs: readonly string[];
  crashes: readonly string[];
  longestTurnMs: number;
  ok: boolean;
}

/** Tries every call as every caller, with other accounts' ids, and with every fault that a body can have. */
export async function runAttack({
  extent,
  mostTurnMs,
  onProgress = () => {},
  ...options
}: AttackOptions): Promise<Attack> {
  await using target = await openTarget(options);
  const report = new Report();
  const full = extent === 'full';
  onProgress(`${target.calls.length} calls, ${target.cast.callers.size} callers`);
  await tryRights(target, report, { full });
  await tryForeignIds(target, report);
  // Only turns after this point count. Until now, the server was loading code and data, and people were signing in.
  await target.look();
  target.forgetTurns();
  const slow = full ? sendSlowly(target, report) : undefined;
  await tryBodies(target, report, { full, onProgress });
  if (full) await fillMemory(target, report, onProgress);
  await slow;
  await target.look();
  const { crashes } = target;
  const turns = target.turns();
  const longestTurnMs = turns[0]?.ms ?? 0;
  return {
    text: report.format(crashes, turns),
    ...{ wrongs: report.wrongs, crashes, longestTurnMs },
    ok: crashes.length + report.wrongs.length === 0 && longestTurnMs <= mostTurnMs,
  };
}
