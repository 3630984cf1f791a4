import type { Database } from '../../../base/db/database.ts';
import { isAnyOf, readNow } from '../../../base/db/rows.ts';
import { readBirth, readSetting, writeSetting } from '../../../base/db/settings-store.ts';
import { firstIdAt } from '../../../base/std/ids.ts';
import type { ImageStore } from '../../../images/image-store.ts';
import { findLastEntry, listChanged } from './changes-store.ts';
import { checkAccounts, checkJobs, checkLimits, maxViolations, type Violation } from './checks-store.ts';
import { createPace } from './pace.ts';
import { verifyImagesAfter } from './verify-images.ts';
import { atStart, type Position, verifyPass } from './verify-pass.ts';

export interface KeepDeps {
  database: Database;
  signal: AbortSignal;
  onViolation(violation: Violation): void;
}

/** The pause after a read, as a multiple of the read's length, so that the work takes at most a twentieth of a core. */
const rests = 19;
const passEveryMs = 24 * 60 * 60_000;
const writeEveryMs = 30_000;
const sampledAtOnce = 5;

const changesSetting = 'verified_through';
const passSetting = 'verify_pass';

interface Pass {
  begunAt: number;
  /** Null once the pass has ended. */
  position: Position | null;
}

/** Checks everything written since the last run. The first run only notes where to begin. */
export async function verifyChanges({ database, signal, onViolation }: KeepDeps): Promise<void> {
  const known = await readSetting(database.read, changesSetting);
  let through = Number(known ?? (await findLastEntry(database.read)));
  const pace = createPace(database, { rests, signal });
  const write = () => database.transaction((tx) => writeSetting(tx, changesSetting, String(through)));
  if (known === undefined) await write();
  try {
    for (let more = true; more; )
      await pace.step(async (rows) => {
        const changed = await listChanged(database.read, { after: through, limit: rows });
        const accounts = [...new Set(changed.map(({ accountId }) => accountId))];
        const jobs = [...new Set(changed.flatMap(({ jobId }) => jobId ?? []))];
        const found = [
          ...(await checkJobs(database.read, (column) => isAnyOf(database.read, column, jobs, 'uuid'))),
          ...(await checkAccounts(database.read, (column) =>
            isAnyOf(database.read, column, accounts, 'uuid'),
          )),
        ];
        found.forEach(onViolation);
        through = changed.at(-1)?.id ?? through;
        more = changed.length === rows;
      });
    (await checkLimits(database.read)).forEach(onViolation);
  } finally {
    if (String(through) !== known) await write();
  }
}

/** Verifies everything slowly, once per day. Continues where another process stopped. */
export async function verifyAll({ database, signal, onViolation }: KeepDeps): Promise<void> {
  const now = await readNow(database.read);
  const stored = parsePass(await readSetting(database.read, passSetting));
  const isDue = !stored || stored.begunAt > now || now - stored.begunAt >= passEveryMs;
  if (stored?.position === null && !isDue) return;
  const pass: Pass = stored?.position ? stored : { begunAt: now, position: atStart };
  const pace = createPace(database, { rests, signal });
  const pages = verifyPass(database.read, { from: pass.position ?? atStart, rows: pace.rows });
  const write = () => database.transaction((tx) => writeSetting(tx, passSetting, JSON.stringify(pass)));
  let writtenAt = performance.now();
  let violations = 0;
  try {
    while (pass.position) {
      await pace.step(async () => {
        const { value } = await pages.next();
        pass.position = value?.position ?? null;
        for (const violation of value?.violations ?? [])
          if (++violations <= maxViolations) onViolation(violation);
      });
      if (performance.now() - writtenAt < writeEveryMs) continue;
      await write();
      writtenAt = performance.now();
    }
  } finally {
    await write();
  }
}

/** Verifies a few random images, to notice decay in a store within days. */
export async function verifySomeImages({
  database,
  images,
  signal,
  onViolation,
}: KeepDeps & { images: ImageStore }): Promise<void> {
  const birth = await readBirth(database.read);
  const age = (await readNow(database.read)) - birth;
  for (let read = 0; read < sampledAtOnce; read++) {
    signal.throwIfAborted();
    const after = firstIdAt(birth + Math.random() * age);
    const { violations } = await verifyImagesAfter({ database, images }, { after, limit: 1 });
    violations.forEach(onViolation);
  }
}

function parsePass(json: string | undefined): Pass | undefined {
  return json === undefined ? undefined : (JSON.parse(json) as Pass); // `verifyAll` wrote it
}
