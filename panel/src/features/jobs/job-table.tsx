import type { Job } from '@darkroom/server/panel-contract';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef } from 'react';
import { paths } from '../../paths.ts';
import { shortId } from '../../ui/copy.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { duration, Elapsed, RelativeTime } from '../../ui/time.tsx';
import classes from './job-table.module.css';
import { shape, tookMs } from './job-words.ts';
import { Thumb } from './thumb.tsx';

/** The height of a row in pixels, as in the style sheet. Rows of equal height need not be measured. */
const rowHeight = 60;
const overscan = 12;
/** The next page is loaded when this many rows are left. */
const ahead = 40;

interface More {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

export function JobTable({ rows, accountId, more }: { rows: Job[]; accountId: string; more: More }) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan,
    scrollMargin: frame.current?.offsetTop ?? 0,
  });
  const items = virtual.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = more;
  const nearEnd = (last?.index ?? 0) >= rows.length - ahead;
  useEffect(() => {
    if (nearEnd && hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [nearEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const margin = virtual.options.scrollMargin;
  const before = (first?.start ?? margin) - margin;
  const after = virtual.getTotalSize() - ((last?.end ?? margin) - margin);
  return (
    <div ref={frame} className={classes.frame}>
      <table className={classes.table} aria-rowcount={hasNextPage ? -1 : rows.length + 1}>
        <caption className="sr-only">Jobs, newest first</caption>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Job</th>
            <th scope="col" className={classes.status}>
              Status
            </th>
            <th scope="col" className={classes.id}>
              Id
            </th>
            <th scope="col" className={classes.when}>
              Created
            </th>
            <th scope="col" className={classes.took}>
              Took
            </th>
            <th scope="col" className={classes.price}>
              Price
            </th>
          </tr>
        </thead>
        <tbody>
          <Gap height={before} />
          {items.map((item) => {
            const job = rows[item.index];
            return job && <Row key={job.job_id} job={job} accountId={accountId} index={item.index + 2} />;
          })}
          <Gap height={after} />
        </tbody>
      </table>
      {isFetchingNextPage && <p className={classes.loading}>Loading more…</p>}
    </div>
  );
}

const Row = memo(function Row({ job, accountId, index }: { job: Job; accountId: string; index: number }) {
  const took = tookMs(job);
  return (
    <tr className={classes.row} aria-rowindex={index}>
      <td>
        <Link href={paths.job(accountId, job.job_id)} className={`${classes.job} row-link`}>
          <Thumb job={{ ...job, prompt: '' }} size={42} />
          <span className={classes.words}>
            <span className="ellipsis" dir="auto">
              {job.prompt}
            </span>
            <span className="soft tiny ellipsis">
              {shape(job)}
              {job.mode === 'url' && ' · from images'}
            </span>
          </span>
        </Link>
      </td>
      <td className={classes.status}>
        <StatusBadge status={job.status} />
      </td>
      <td className={classes.id}>
        <code className="soft" title={job.job_id}>
          {shortId(job.job_id)}
        </code>
      </td>
      <td className={classes.when}>
        <RelativeTime at={job.created_at} />
      </td>
      <td className={classes.took}>{took === null ? <Elapsed since={job.created_at} /> : duration(took)}</td>
      <td className={classes.price} data-free={job.status === 'failed' || undefined}>
        <Money amount={job.price} bare />
      </td>
    </tr>
  );
});

function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
