import type { JobQuery } from '@darkroom/server/panel-contract';
import { Button, CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountId } from '../api/account.ts';
import { jobPages } from '../api/job-calls.ts';
import { useModels } from '../api/models.ts';
import { useRead } from '../api/queries.ts';
import { useSearchState } from '../api/search-state.ts';
import { addressOf } from '../api/send.ts';
import { JobTable } from '../features/jobs/job-table.tsx';
import { paths } from '../paths.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { useGo } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { TableSkeleton } from '../ui/skeletons.tsx';
import classes from './jobs.module.css';

export function JobsPage() {
  const accountId = useAccountId();
  const [search, change] = useSearchState();
  const filters = filtersOf(search);
  const jobs = useInfiniteQuery(jobPages(accountId, filters));
  const rows = jobs.data?.pages.flatMap((page) => page.data);
  const filtered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Jobs"
      intro="Every job, newest first. The list updates by itself."
      actions={
        <Button
          component="a"
          variant="default"
          download
          href={addressOf('GET /panel/accounts/:account_id/jobs.csv', {
            params: { account_id: accountId },
            query: filters,
          })}
        >
          Download CSV
        </Button>
      }
    >
      <Filters search={search} change={change} accountId={accountId} filtered={filtered} />
      <Await query={{ ...jobs, data: rows }} wait={<TableSkeleton rows={10} />}>
        {(list) =>
          list.length > 0 ? (
            <JobTable rows={list} accountId={accountId} more={jobs} />
          ) : (
            <NoJobs filtered={filtered} accountId={accountId} clear={() => change(nothing)} />
          )
        }
      </Await>
    </Page>
  );
}

function Filters(props: {
  search: Record<string, string | undefined>;
  change: (some: Record<string, string | undefined>) => void;
  accountId: string;
  filtered: boolean;
}) {
  const { search, change } = props;
  const keys = useRead('GET /panel/accounts/:account_id/keys', { params: { account_id: props.accountId } });
  const models = useModels();
  const select = (name: string) => (event: React.ChangeEvent<HTMLSelectElement>) =>
    change({ [name]: event.currentTarget.value });
  const pick = (name: string) => (event: React.ChangeEvent<HTMLInputElement>) =>
    change({ [name]: event.currentTarget.value });
  return (
    <search className={classes.filters} aria-label="Filter jobs">
      <SearchField value={search.search ?? ''} onChange={(text) => change({ search: text })} />
      <NativeSelect
        label="Status"
        value={search.status ?? ''}
        onChange={select('status')}
        data={[
          { value: '', label: 'Any' },
          { value: 'queued', label: 'Queued' },
          { value: 'processing', label: 'Processing' },
          { value: 'done', label: 'Done' },
          { value: 'failed', label: 'Failed' },
        ]}
      />
      <NativeSelect
        label="Model"
        value={search.model ?? ''}
        onChange={select('model')}
        data={[
          { value: '', label: 'Any' },
          ...models.map(({ model, name }) => ({ value: model, label: name })),
        ]}
      />
      <NativeSelect
        label="Made with"
        value={search.key ?? ''}
        onChange={select('key')}
        data={[
          { value: '', label: 'Anything' },
          { value: 'panel', label: 'The playground' },
          ...(keys.data?.data ?? []).map((key) => ({ value: key.key_id, label: key.name })),
        ]}
      />
      <TextInput label="From (UTC)" type="date" value={search.from ?? ''} onChange={pick('from')} />
      <TextInput label="To (UTC)" type="date" value={search.to ?? ''} onChange={pick('to')} />
      {props.filtered && (
        <Button variant="subtle" color="gray" onClick={() => change(nothing)}>
          Clear
        </Button>
      )}
    </search>
  );
}

/** Waits for a pause in typing before it searches. */
const typingMs = 250;

function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const tell = useDebouncedCallback(onChange, typingMs);
  const type = (next: string) => {
    setText(next);
    tell(next.trim());
  };
  return (
    <TextInput
      className={classes.search}
      label="Find"
      placeholder="Job id or Idempotency-Key"
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      rightSection={
        text !== '' && <CloseButton size="sm" aria-label="Clear search" onClick={() => type('')} />
      }
    />
  );
}

function NoJobs(props: { filtered: boolean; accountId: string; clear: () => void }) {
  const go = useGo();
  if (props.filtered) {
    return (
      <EmptyState
        title="No job matches"
        action={
          <Button variant="default" onClick={props.clear}>
            Clear the filters
          </Button>
        }
      >
        An id may be cut short to its first four characters or more.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No jobs yet"
      action={<Button onClick={() => go(paths.playground(props.accountId))}>Make a first image</Button>}
    >
      A job is one request for one image. It is queued, processed and then done or failed; you pay for those
      that are done. Jobs from the playground and from your API keys appear here as they come.
    </EmptyState>
  );
}

const nothing = { status: '', model: '', key: '', from: '', to: '', search: '' };

/** Turns the days in the URL into times: `to` includes its day. */
function filtersOf(search: Record<string, string | undefined>): JobQuery {
  const { status, model, key, from, to, search: text } = search;
  const filters: Record<string, string | undefined> = {
    status,
    model,
    key_id: key,
    from: from && `${from}T00:00:00.000Z`,
    to: to && new Date(Date.parse(to) + dayMs).toISOString(),
    search: text,
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value)) as JobQuery; // the server validates the values
}

const dayMs = 86_400_000;
