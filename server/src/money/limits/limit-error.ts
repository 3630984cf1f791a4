import { groupDigits } from '../../base/std/group-digits.ts';
import { toIso } from '../../base/std/iso-time.ts';
import { AppError } from '../../errors.ts';
import { formatMicros } from '../ledger/money.ts';
import type { ReachedLimit } from './count-uses.ts';
import { endOf } from './limit.ts';

interface Asked {
  jobs: number;
  priceMicros: bigint;
  nowMs: number;
}

const inWords = { account: 'account', key: 'key', client_token: 'client token' } as const;

export function limitError(reached: ReachedLimit, { jobs, priceMicros, nowMs }: Asked): AppError {
  const { subject, meter, most, used } = reached;
  const who = `this ${inWords[subject.kind]}`;
  const endsAt = endOf(reached);
  const about = { of: subject.kind, per: meter, resets_at: endsAt === null ? null : toIso(endsAt) };
  const retryAfterSeconds = endsAt === null ? undefined : Math.max(1, Math.ceil((endsAt - nowMs) / 1000));
  const until = about.resets_at === null ? '' : ` The limit resets at ${about.resets_at}.`;
  switch (meter) {
    case 'open':
    case 'waiting': {
      const what = meter === 'open' ? 'unfinished jobs' : 'jobs that wait';
      const state = meter === 'open' ? 'ended' : 'begun';
      const hasRoom = BigInt(jobs) <= most;
      const todo = hasRoom
        ? `and has ${used}. Wait until some have ${state}.`
        : `and these are ${jobs}. Send fewer at once.`;
      const detail = `T${who.slice(1)} may have ${most} ${what}, ${todo}`;
      const limit = { ...about, most: String(most) };
      return new AppError('open_jobs_limit_reached', detail, {
        limit,
        ...(!hasRoom && { retryAfterSeconds: null }),
      });
    }
    case 'input': {
      const detail = `T${who.slice(1)} may send ${bytes(most)} of input images per day, and has sent ${bytes(used)}.${until}`;
      return new AppError('input_limit_reached', detail, {
        limit: { ...about, most: String(most) },
        retryAfterSeconds,
      });
    }
    default: {
      const required = formatMicros(priceMicros);
      const available = formatMicros(used < most ? most - used : 0n);
      const each = meter === 'total' ? 'in all' : `${meter === 'hour' ? 'an' : 'a'} ${meter}`;
      const detail = `${costs(jobs)} ${required}, and ${available} is left of the ${formatMicros(most)} ${each} that ${who} may spend.${until}`;
      const limited = { ...about, most: formatMicros(most) };
      return new AppError('spend_limit_reached', detail, {
        ...{ available, required, limit: limited },
        retryAfterSeconds,
      });
    }
  }
}

export function costs(jobs: number): string {
  return jobs === 1 ? 'This job costs' : `These ${jobs} jobs cost`;
}

function bytes(count: bigint): string {
  return `${groupDigits(count)} bytes`;
}
