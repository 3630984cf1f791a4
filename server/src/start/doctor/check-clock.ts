import type { Database } from '../../base/db/database.ts';
import { readSeenTime } from '../../base/db/follow-clock.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Clock } from '../../base/std/clock.ts';
import type { Finding } from './finding.ts';

/** The largest acceptable clock error. If a clock is some minutes off, receivers and buckets refuse our signatures. */
const maxSkewMs = 60_000;
/** The largest difference to be expected between two synchronised clocks. */
const usualSkewMs = 2_000;
/** The server records the time every 10 s. */
const notedEveryMs = 10_000;
const next = 'let the machines follow a time server (timedatectl set-ntp true)';

/** Compares our clock with the database's, and with the time that the server last recorded. */
export async function checkClock({ nowMs }: Clock, database: Database | null): Promise<Finding> {
  const name = 'clock';
  const time = new Date(nowMs()).toISOString();
  if (!database) return { name, status: 'ok', found: `${time}, with nothing to compare it to` };
  const began = nowMs();
  const now = await readNow(database.read);
  const skewMs = Math.round(now - (began + nowMs()) / 2);
  const seen = await readSeenTime(database.read);
  if (seen - now > notedEveryMs)
    return {
      name,
      status: 'fail',
      found: `${time}, which is ${seconds(seen - now)} behind the last time that the server saw`,
      next,
    };
  const found = `${time}, ${Math.abs(skewMs) < 100 ? 'as' : `${seconds(skewMs)} ${skewMs > 0 ? 'behind' : 'ahead of'}`} the database`;
  if (Math.abs(skewMs) <= usualSkewMs) return { name, status: 'ok', found };
  return { name, status: Math.abs(skewMs) > maxSkewMs ? 'fail' : 'warn', found, next };
}

function seconds(ms: number): string {
  return `${(Math.abs(ms) / 1000).toFixed(1)} s`;
}
