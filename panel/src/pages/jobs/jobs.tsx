import type { Job, Page as PageOf } from '@darkroom/server/panel-contract';
import { Button, SegmentedControl } from '@mantine/core';
import { IconLayoutGrid as IconGrid, IconList } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { jobPages } from '../../api/job-calls.ts';
import { useMark } from '../../api/marks.ts';
import { linkOf } from '../../api/send.ts';
import { downloadImage } from '../../features/choose/download-image.ts';
import { KeysHelp } from '../../features/choose/keys-help.tsx';
import { mostCompared, verdictOf } from '../../features/choose/verdicts.ts';
import { useHeldDeletion } from '../../features/deletion/held-deletion.ts';
import { UndoDeletion } from '../../features/deletion/undo-deletion.tsx';
import { Examples } from '../../features/examples/examples.tsx';
import { BulkBar } from '../../features/gallery/bulk-bar.tsx';
import { ContactSheet } from '../../features/gallery/contact-sheet.tsx';
import { DensityField } from '../../features/gallery/density.tsx';
import { GallerySkeleton } from '../../features/gallery/gallery-skeleton.tsx';
import { Lightbox } from '../../features/gallery/lightbox.tsx';
import { useSelection } from '../../features/gallery/selection.ts';
import { ShareDialog, useSharing } from '../../features/gallery/share-dialog.tsx';
import { BatchStrip } from '../../features/jobs/batch-strip.tsx';
import { JobFilters } from '../../features/jobs/job-filters.tsx';
import { jobQueryOf, noFilters } from '../../features/jobs/job-query.ts';
import { JobTable } from '../../features/jobs/job-table.tsx';
import { isDeleted } from '../../features/jobs/job-words.ts';
import { Survey } from '../../features/survey/survey.tsx';
import { paths, withQuery } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { DownloadButton, useGo } from '../../ui/link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { usePageKeys } from '../../ui/page-keys.ts';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';

const noRows: Job[] = [];

/** Every job of the account as a contact sheet, or as a table; `show` is the job in the lightbox. */
export function JobsPage() {
  const accountId = useAccountId();
  const [search, change] = useSearchState();
  const filters = jobQueryOf(search);
  const jobs = useInfiniteQuery(jobPages(accountId, filters));
  const asTable = search.view === 'table';
  const rows = useRows(jobs.data?.pages, asTable);
  // After a page of only deleted images, older pages load on demand, because an old account may have many such pages.
  const endsDeleted = !asTable && (jobs.data?.pages.at(-1)?.data.every(isDeleted) ?? false);
  const selection = useSelection(useMemo(() => (rows ?? noRows).map(({ job_id }) => job_id), [rows]));
  const [deleting, setDeleting] = useState(false);
  const [links, setLinks] = useState(false);
  const isSharing = useSharing();
  const go = useGo();
  const filtered = Object.keys(filters).length > 0;
  const hrefOf = useHrefOf(accountId, search);
  // Adds to the history, so that Back closes the comparison.
  const compare = (ids: string[]) =>
    go(withQuery(paths.jobs(accountId), { ...search, survey: ids.join(',') }));
  const choose = useChoosing(compare);
  return (
    <Page
      title="Pictures"
      actions={
        <>
          {isSharing && (
            <Button variant="default" onClick={() => setLinks(true)}>
              Public links
            </Button>
          )}
          <Button variant="default" onClick={() => go(paths.batches(accountId))}>
            Batches
          </Button>
          <DownloadButton
            href={linkOf('GET /api/v1/jobs.csv', {
              params: { account_id: accountId },
              query: filters,
            })}
          >
            Download CSV
          </DownloadButton>
        </>
      }
    >
      <JobFilters search={search} change={change} accountId={accountId} filtered={filtered}>
        {!asTable && <DensityField />}
        <ViewSwitch asTable={asTable} onChange={(view) => change({ view })} />
      </JobFilters>
      {search.batch && <BatchStrip batchId={search.batch} />}
      <Await
        query={{ ...jobs, data: rows }}
        wait={asTable ? <TableSkeleton rows={10} /> : <GallerySkeleton />}
      >
        {(list) => {
          if (list.length === 0 && !(endsDeleted && jobs.hasNextPage)) {
            return <NoJobs filtered={filtered} accountId={accountId} clear={() => change(noFilters)} />;
          }
          return asTable ? (
            <JobTable rows={list} accountId={accountId} more={jobs} />
          ) : (
            <ContactSheet
              jobs={list}
              selection={selection}
              more={{ ...jobs, hasNextPage: jobs.hasNextPage && !endsDeleted }}
              hrefOf={hrefOf}
              onDelete={() => setDeleting(true)}
              onKey={choose}
            />
          );
        }}
      </Await>
      {endsDeleted && <LoadMore query={jobs} />}
      <UndoDeletion />
      {!asTable && (
        <BulkBar
          selection={selection}
          jobs={rows ?? noRows}
          deleting={deleting}
          onDeleting={setDeleting}
          onCompare={compare}
        />
      )}
      <ShareDialog jobIds={[]} opened={links} onClose={() => setLinks(false)} />
      <OverPage search={search} rows={rows ?? noRows} hrefOf={hrefOf} compare={compare} />
    </Page>
  );
}

/** The table lists all jobs; the contact sheet, jobs that have an image or may get one. */
function useRows(pages: PageOf<Job>[] | undefined, asTable: boolean): Job[] | undefined {
  const held = useHeldDeletion()?.jobIds;
  return useMemo(() => {
    const all = pages?.flatMap((page) => page.data);
    return asTable ? all : all?.filter((job) => !isDeleted(job) && !held?.includes(job.job_id));
  }, [pages, asTable, held]);
}

function useChoosing(compare: (jobIds: string[]) => void) {
  const accountId = useAccountId();
  const mark = useMark();
  const choose = (key: string, jobs: Job[]): boolean => {
    const jobIds = jobs.map(({ job_id }) => job_id);
    const verdict = verdictOf(key, jobs);
    if (verdict) mark.mutate({ jobIds, ...verdict });
    else if (key === 'd') for (const job of jobs) downloadImage(accountId, job);
    else if (key === 'c' && jobs.length > 1) compare(jobIds.slice(0, mostCompared));
    else return false;
    return true;
  };
  return choose;
}

function useHrefOf(accountId: string, search: Record<string, string | undefined>) {
  const query = withQuery('', { ...search, show: undefined });
  return useCallback(
    (show: string) =>
      withQuery(paths.jobs(accountId), { ...Object.fromEntries(new URLSearchParams(query)), show }),
    [accountId, query],
  );
}

function OverPage(props: {
  search: Record<string, string | undefined>;
  rows: Job[];
  hrefOf: (jobId: string) => string;
  compare: (jobIds: string[]) => void;
}) {
  const { search, rows, hrefOf, compare } = props;
  const [, change] = useSearchState();
  const [helping, setHelping] = useState(false);
  usePageKeys((key) => {
    if (key === '?') setHelping(true);
    const isCovered = document.querySelector('[role="dialog"]') !== null;
    if (key === 'f' && !isCovered && !search.show && !search.survey)
      change({ starred: search.starred ? '' : 'yes' });
  });
  return (
    <>
      <KeysHelp opened={helping} onClose={() => setHelping(false)} />
      {search.survey && (
        <Survey
          jobIds={search.survey.split(',').slice(0, mostCompared)}
          covered={helping}
          onChange={(ids) => change({ survey: ids.join(',') })}
          onOpen={(show) => change({ survey: undefined, show })}
          onClose={() => change({ survey: undefined })}
        />
      )}
      {search.show && !search.survey && (
        <Shown rows={rows} jobId={search.show} hrefOf={hrefOf} covered={helping} onCompare={compare} />
      )}
    </>
  );
}

/** Opening an image adds to the browser's history, so that Back closes it. Turning to another image adds nothing. */
function Shown(props: {
  rows: Job[];
  jobId: string;
  hrefOf: (jobId: string) => string;
  covered: boolean;
  onCompare: (jobIds: string[]) => void;
}) {
  const { rows, jobId, hrefOf } = props;
  const [, change] = useSearchState();
  const go = useGo();
  const at = rows.findIndex(({ job_id }) => job_id === jobId);
  return (
    <Lightbox
      jobId={jobId}
      row={rows[at]}
      covered={props.covered}
      onCompare={props.onCompare}
      previous={rows[at - 1]}
      next={at < 0 ? undefined : rows[at + 1]}
      onTurn={(to) => go(hrefOf(to), { replace: true })}
      onClose={() => change({ show: undefined })}
    />
  );
}

function ViewSwitch({ asTable, onChange }: { asTable: boolean; onChange: (view: string) => void }) {
  return (
    <SegmentedControl
      aria-label="Show as"
      value={asTable ? 'table' : ''}
      onChange={onChange}
      data={[
        { value: '', label: <ViewIcon icon={IconGrid} name="Images" /> },
        { value: 'table', label: <ViewIcon icon={IconList} name="Table" /> },
      ]}
    />
  );
}

function ViewIcon({ icon: Icon, name }: { icon: typeof IconGrid; name: string }) {
  return (
    <span title={name}>
      <Icon size={18} style={{ display: 'block' }} aria-hidden />
      <span className="sr-only">{name}</span>
    </span>
  );
}

function NoJobs(props: { filtered: boolean; accountId: string; clear: () => void }) {
  const go = useGo();
  if (props.filtered) {
    return (
      <EmptyState
        title="No images match"
        action={
          <Button variant="default" onClick={props.clear}>
            Clear the filters
          </Button>
        }
      >
        Try fewer words or filters. An id may be cut short to its first four characters or more.
      </EmptyState>
    );
  }
  return (
    <div className="stack wide">
      <EmptyState
        title="No images yet"
        action={<Button onClick={() => go(paths.make(props.accountId))}>Make a first image</Button>}
      >
        Images from this panel and from your API keys appear here as they are made. Only what is done is
        charged.
      </EmptyState>
      <Section
        title="What it may look like"
        hint="Drawn by the built-in sketch. Choose one to make your own."
      >
        <Examples onPick={(prompt) => go(paths.make(props.accountId, { prompt }))} />
      </Section>
    </div>
  );
}
