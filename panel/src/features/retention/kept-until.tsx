import type { Job, Overview } from '@darkroom/server/panel-contract';
import { localDay, utc } from '../../ui/time.tsx';
import { daysText } from './retention-words.ts';

/** Until when the picture is there, or that it stays. */
export function KeptUntil({ job: { kept_until: until } }: { job: Job }) {
  if (until === undefined) return null;
  return (
    <p className="soft small">
      {until === null ? (
        'Starred: stays'
      ) : (
        <>
          Kept until{' '}
          <time dateTime={until} title={utc(until)} className="number nowrap">
            {localDay(until)}
          </time>
        </>
      )}
    </p>
  );
}

/** What holds for all pictures of the account. */
export function keptText({ pictures_days: days, starred }: Overview['retention']): string {
  const room =
    starred === 1 ? 'a starred one stays' : `up to ${starred.toLocaleString('en')} starred ones stay`;
  return `Kept for ${daysText(days)}${starred > 0 ? `; ${room}` : ''}`;
}
