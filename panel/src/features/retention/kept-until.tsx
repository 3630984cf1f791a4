import type { Job } from '@darkroom/server/panel-contract';
import { localDay, utc } from '../../ui/time.tsx';

export function KeptUntil({ job: { kept_until: until, starred } }: { job: Job }) {
  if (until === undefined) return null;
  return (
    <p className="soft small">
      {until === null ? (
        starred ? (
          'Starred: stays'
        ) : (
          'In an album: stays'
        )
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
