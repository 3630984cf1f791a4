import type { AnswerOf } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useAccountId, useRights } from '../../api/account.ts';
import { readPages } from '../../api/queries.ts';
import { Thumb } from '../../features/jobs/thumb.tsx';
import { number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { shortId } from '../../ui/copy.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Progress } from '../../ui/figures/progress.tsx';
import { Link, useGo } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import classes from './batches.module.css';

type Batch = AnswerOf<'GET /panel/accounts/:account_id/batches'>['data'][number];

const againMs = 5_000;

export function BatchesPage() {
  const account_id = useAccountId();
  const mayMake = useRights().includes('make_pictures');
  const batches = useInfiniteQuery({
    ...readPages('GET /panel/accounts/:account_id/batches', {
      params: { account_id },
      query: { limit: '50' },
    }),
    refetchInterval: againMs,
  });
  const go = useGo();
  const rows = batches.data?.pages.flatMap((page) => page.data);
  return (
    <Page
      title="Batches"
      intro={
        <>
          Requests that were accepted together. What they make is also among the{' '}
          <Link href={paths.jobs(account_id)}>images</Link>.
        </>
      }
      actions={mayMake && <Button onClick={() => go(paths.newBatch(account_id))}>New batch</Button>}
    >
      <Await query={{ ...batches, data: rows }} wait={<TableSkeleton rows={6} />}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title="No batches yet">
              A batch is up to 10,000 images that are asked for at once: from a list of prompts or a table
              here, or by a program with <code>POST /api/v1/batches</code>. All are accepted, and the price of
              all is reserved, or none.
            </EmptyState>
          ) : (
            <>
              <BatchTable batches={list} accountId={account_id} />
              <LoadMore query={batches} />
            </>
          )
        }
      </Await>
    </Page>
  );
}

function BatchTable({ batches, accountId }: { batches: Batch[]; accountId: string }) {
  return (
    <DataTable
      caption="Batches, newest first"
      rows={batches}
      rowKey={({ batch_id }) => batch_id}
      columns={[
        { name: t('Batch'), cell: (batch) => <Name batch={batch} accountId={accountId} /> },
        { name: t('Ended'), cell: (batch) => <Ended batch={batch} /> },
        {
          name: t('Charged'),
          align: 'end',
          wideOnly: true,
          cell: ({ charged, price }) => (
            <>
              <Money amount={charged} />
              <div className="soft tiny">of {price}</div>
            </>
          ),
        },
        {
          name: t('Created'),
          align: 'end',
          wideOnly: true,
          cell: ({ created_at }) => <RelativeTime at={created_at} />,
        },
      ]}
    />
  );
}

function Name({ batch, accountId }: { batch: Batch; accountId: string }) {
  const { batch_id, name, first_jobs } = batch;
  return (
    <div className={classes.name}>
      <span className={classes.images}>
        {first_jobs.map((job) => (
          <Thumb key={job.job_id} job={job} size={40} />
        ))}
      </span>
      <Link href={paths.jobs(accountId, { batch: batch_id })} className="row-link strong">
        {name ?? <code>{shortId(batch_id)}</code>}
      </Link>
    </div>
  );
}

function Ended({ batch: { batch_id, status, jobs, counts } }: { batch: Batch }) {
  return (
    <div className="stack tight">
      <Progress
        name={`Ended of batch ${shortId(batch_id)}`}
        all={jobs}
        done={counts.done}
        failed={counts.failed}
      />
      <span className={classes.ended}>
        <span className="soft tiny number">
          {counts.failed > 0
            ? `${number(counts.done + counts.failed)} of ${number(jobs)}, ${number(counts.failed)} failed`
            : `${number(counts.done + counts.failed)} of ${number(jobs)}`}
        </span>
        <StatusBadge status={status} />
      </span>
    </div>
  );
}
