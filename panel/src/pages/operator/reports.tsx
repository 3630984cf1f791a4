import type { AnswerOf } from '@darkroom/server/panel-contract';
import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ReadCall, readPages, useSend } from '../../api/queries.ts';
import { addressOf } from '../../api/send.ts';
import { actorText } from '../../features/operator/audit-words.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import classes from './reports.module.css';

type Report = AnswerOf<'GET /admin/v1/reports'>['data'][number];

export function ReportsPage() {
  const [{ status = 'open' }, change] = useSearchState();
  const isOpen = status !== 'resolved';
  const reports = useInfiniteQuery(
    readPages('GET /admin/v1/reports', { query: { status: isOpen ? 'open' : 'resolved', limit: '20' } }),
  );
  const rows = reports.data?.pages.flatMap((page) => page.data);
  return (
    <Page title="Reports" intro="Reports of images by visitors of public links.">
      <SegmentedControl
        aria-label="Which reports"
        className={classes.which ?? ''}
        data={[
          { value: 'open', label: t('Unresolved') },
          { value: 'resolved', label: t('Resolved') },
        ]}
        value={isOpen ? 'open' : 'resolved'}
        onChange={(next) => change({ status: next === 'open' ? undefined : next })}
      />
      <Await query={{ ...reports, data: rows }} wait={<TableSkeleton />}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={isOpen ? 'Nothing waits for you' : 'Nothing was resolved recently'}>
              Every image of a public link has a link to report it. What is resolved is listed for 90 days.
            </EmptyState>
          ) : (
            <>
              <ul className={classes.list}>
                {list.map((report) => (
                  <ReportItem key={report.report_id} report={report} />
                ))}
              </ul>
              <LoadMore query={reports} />
            </>
          )
        }
      </Await>
    </Page>
  );
}

function ReportItem({ report }: { report: Report }) {
  const { report_id, account_id, account_name, contact, address, evidence, resolver } = report;
  const resolved_by = resolver && actorText(resolver);
  const image = addressOf('GET /admin/v1/reports/:report_id/image', { params: { report_id } });
  // Also true if the owner deleted the image, or if an earlier, resolved report led to its removal.
  const [isGone, setIsGone] = useState(false);
  return (
    <li className={classes.report}>
      {isGone ? (
        <span className={classes.gone}>The image cannot be shown</span>
      ) : (
        <a href={image} target="_blank" rel="noreferrer" className={classes.image}>
          <img
            src={image}
            alt={`Reported ${report.created_at}`}
            loading="lazy"
            onError={() => setIsGone(true)}
          />
        </a>
      )}
      <div>
        <p className={classes.reason}>{report.reason}</p>
        <p className="tiny soft">
          <RelativeTime at={report.created_at} /> from {address}
          {contact && `, ${contact}`} · made in{' '}
          <Link href={paths.operatorAccount(account_id)}>{account_name}</Link>
        </p>
        {report.taken_down_at !== null && (
          <p className="tiny soft">
            <span>
              Taken down <RelativeTime at={report.taken_down_at} />
            </span>
            {evidence && ' · '}
            {evidence && `kept aside: ${evidence.model}, “${evidence.prompt}”`}
          </p>
        )}
        {report.resolved_at === null ? (
          <Actions report={report} />
        ) : (
          <p className="tiny soft">
            Resolved <RelativeTime at={report.resolved_at} /> by {resolved_by}
          </p>
        )}
      </div>
    </li>
  );
}

const list: ReadCall[] = ['GET /admin/v1/reports'];

function Actions({ report: { report_id, taken_down_at, reason } }: { report: Report }) {
  const params = { report_id };
  const takeDown = useSend('POST /admin/v1/reports/:report_id/take-down', list);
  const resolve = useSend('POST /admin/v1/reports/:report_id/resolve', list);
  return (
    <div className="row">
      <ConfirmButton
        label="Take down"
        name={`Take down the image of the report “${reason}”`}
        why={taken_down_at === null ? undefined : 'It is taken down.'}
        title="Take this image down?"
        action="Take down"
        sending={takeDown}
        onConfirm={() => takeDown.mutate({ params })}
      >
        It is deleted, for its account as well, and its links stop working. A copy is kept aside for
        operators, with its prompt, until the report is resolved.
      </ConfirmButton>
      <ConfirmButton
        label="Resolve"
        name={`Resolve the report “${reason}”`}
        title="Resolve this report?"
        action="Resolve"
        sending={resolve}
        onConfirm={() => resolve.mutate({ params })}
      >
        {taken_down_at === null
          ? 'The image stays where it is.'
          : 'The image stays deleted, and the copy that was kept aside is deleted for good.'}
      </ConfirmButton>
    </div>
  );
}
