import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cast, startCast } from '../cast.ts';
import { type Random, seeded } from '../random.ts';
import { Disk, type Fate, fates } from './disk.ts';
import { Images } from './images.ts';
import { judgeFiles } from './judge.ts';
import { readTrace, type Step, tracer } from './read-trace.ts';

export interface PowerCutOptions {
  seed: number;
  creates: number;
  cuts: number;
  syncMs: number;
  onProgress?: (line: string) => void;
}

export interface PowerCutReport {
  acknowledged: number;
  done: number;
  cuts: Record<string, number>;
  checkpoints: number;
  violations: string[];
}

const databaseFile = 'darkroom.db';
const logFile = `${databaseFile}-wal`;
// Enough clients for the server to write in batches, but not too many for a traced server.
const clients = 16;
const readers = 2;
const progressEvery = 200;

/**
 * Runs jobs on a traced server, then simulates power cuts. Whatever an answer said before a cut must survive the cut.
 */
export async function runPowerCuts(options: PowerCutOptions): Promise<PowerCutReport> {
  const { seed, creates, cuts, syncMs, onProgress = () => {} } = options;
  using folder = temporaryFolder();
  const trace = join(folder.path, 'calls');
  const before = new Map<string, Buffer>();
  const launch = (dataDir: string) => {
    before.set(databaseFile, readFileSync(join(dataDir, databaseFile)));
    return tracer(trace, syncMs);
  };
  {
    await using cast = await startCast({ database: 'sqlite', seed, launch });
    await makeJobs(cast, creates);
  }
  onProgress(`${creates} creates are answered; reads what was recorded`);
  const steps = await readTrace(trace, [databaseFile, logFile]);
  return judgeCuts(steps, before, { seed, cuts, onProgress, folder: folder.path });
}

async function makeJobs(cast: Cast, creates: number): Promise<void> {
  const [url = ''] = cast.apiUrls;
  const headers = {
    authorization: `Bearer ${cast.accounts.rich.key}`,
    'content-type': 'application/json',
  };
  const left = Array.from({ length: creates }, (_, number) => number).values();
  let isOver = false;
  const create = async () => {
    for (const number of left) {
      const body = JSON.stringify({ prompt: `image ${number}`, aspect_ratio: '1:1' });
      const path = `${url}/api/v1/nb/text-generations`;
      const answer = await fetch(path, { method: 'POST', headers, body });
      const { job_id: id } = (await answer.json()) as { job_id: string }; // the call's contract
      if (answer.status !== 202) throw new Error(`a create was answered with ${answer.status}`);
      await (await fetch(`${url}/api/v1/jobs/${id}`, { headers: { ...headers, prefer: 'wait=30' } })).text();
    }
  };
  const list = async () => {
    while (!isOver) await (await fetch(`${url}/api/v1/jobs?limit=${clients}`, { headers })).text();
  };
  const lists = Array.from({ length: readers }, list);
  await Promise.all(Array.from({ length: clients }, create));
  isOver = true;
  await Promise.all(lists);
}

function judgeCuts(
  steps: readonly Step[],
  before: ReadonlyMap<string, Buffer>,
  {
    seed,
    cuts,
    onProgress,
    folder,
  }: { seed: number; cuts: number; onProgress: (line: string) => void; folder: string },
): PowerCutReport {
  const random = seeded(seed);
  const disk = new Disk(before);
  const images = new Images();
  const told = new Map<string, string>();
  const report: PowerCutReport = { acknowledged: 0, done: 0, cuts: {}, checkpoints: 0, violations: [] };
  const moments = drawMoments(steps, cuts, random);
  for (const [index, step] of steps.entries()) {
    disk.take(step);
    images.take(step);
    if (step.kind === 'synced' && step.path.endsWith(`/${databaseFile}`)) report.checkpoints += 1;
    for (const { id, status } of step.kind === 'told' ? step.jobs : []) {
      if (status === 'done' && told.get(id) !== 'done' && !images.has(id))
        report.violations.push(`job ${id} was told done before the disk had its image`);
      told.set(id, status);
    }
    for (const fate of moments.get(index) ?? []) {
      const problems = judgeFiles(folder, disk.cut(fate, random), told);
      report.violations.push(...problems.map((problem) => `cut at step ${index}, ${fate}: ${problem}`));
      report.cuts[fate] = (report.cuts[fate] ?? 0) + 1;
      const made = Object.values(report.cuts).reduce((sum, each) => sum + each, 0);
      if (made % progressEvery === 0) onProgress(`${made} cuts, ${report.violations.length} violations`);
    }
  }
  report.acknowledged = told.size;
  report.done = [...told.values()].filter((status) => status === 'done').length;
  return report;
}

/** Draws the steps after which the power fails. Half of the cuts follow an answer, and lose all unsynced data. */
function drawMoments(steps: readonly Step[], cuts: number, random: Random): Map<number, Fate[]> {
  const all = [...steps.keys()];
  const tellings = all.filter((index) => steps[index]?.kind === 'told');
  const moments = new Map<number, Fate[]>();
  for (let cut = 0; cut < cuts; cut++) {
    const [from, fate] = cut % 2 === 0 ? [tellings, 'dropped' as const] : [all, random.pick(fates)];
    const moment = from[random.between(0, from.length - 1)] ?? 0;
    moments.set(moment, [...(moments.get(moment) ?? []), fate]);
  }
  return moments;
}

function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'darkroom-power-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
