import type { Job, JobChanges, JobDetail, JobQuery, Page } from '@darkroom/server/panel-contract';
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { t } from '../languages/words.ts';
import { ProblemError } from './problem.ts';
import { send } from './send.ts';

const pauseMs = 3_000;
/** Statuses after which retries are useless: the person is signed out, or the account does not exist. */
const gone = [401, 403, 404];

type Tell = (text: string) => void;

/** Follows the jobs of an account, updates the page, and announces how each ended. Pauses while the page is hidden. */
export function useLiveJobs(accountId: string | undefined, tell: Tell): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!accountId) return;
    let stop = new AbortController();
    let cursor: string | undefined;
    const run = async (signal: AbortSignal) => {
      while (!signal.aborted) {
        try {
          const changes = await send(
            'GET /panel/accounts/:account_id/jobs/changes',
            { params: { account_id: accountId }, query: cursor ? { cursor } : {} },
            { signal },
          );
          cursor = changes.cursor;
          apply(client, accountId, changes, tell);
        } catch (error) {
          if (error instanceof ProblemError && gone.includes(error.problem.status)) return;
          if (error instanceof ProblemError && error.problem.status === 422) cursor = undefined;
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
      }
    };
    const onVisibility = () => {
      stop.abort();
      stop = new AbortController();
      if (!document.hidden) void run(stop.signal);
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      stop.abort();
    };
  }, [accountId, client, tell]);
}

function apply(client: QueryClient, accountId: string, changes: JobChanges, tell: Tell): void {
  const params = { account_id: accountId };
  client.setQueryData(['GET /api/v1/balance', { params }], changes.balance);
  if (changes.data.length === 0) return;
  updateLists(client, accountId, changes.data);
  for (const job of changes.data) {
    const jobParams = { params: { ...params, job_id: job.job_id } };
    void client.invalidateQueries({ queryKey: ['GET /panel/accounts/:account_id/jobs/:job_id', jobParams] });
  }
  for (const call of ['GET /panel/accounts/:account_id/overview', 'GET /api/v1/entries', 'quote'])
    void client.invalidateQueries({ queryKey: [call] });
  const last = changes.data.filter((job) => job.finished_at !== null).at(-1);
  if (last)
    tell(last.status === 'done' ? t('Image done') : t('Job failed: {error}', { error: last.error ?? '' }));
}

type ListKey = readonly [string, 'pages', { params: { account_id: string }; query?: JobQuery }];

function updateLists(client: QueryClient, accountId: string, changed: Job[]): void {
  const lists = client.getQueryCache().findAll({ queryKey: ['GET /api/v1/jobs', 'pages'] });
  for (const list of lists) {
    const key = list.queryKey as unknown as ListKey; // created by readPages
    const [, , input] = key;
    if (input.params.account_id !== accountId) continue;
    client.setQueryData<InfiniteData<Page<Job>>>(key, (old) => old && merge(old, changed, input.query ?? {}));
  }
}

/** Applies a change that this page made to jobs, in every list and page that shows them. */
export function updateJobs(
  client: QueryClient,
  accountId: string,
  jobIds: readonly string[],
  change: (job: Job) => Job,
): void {
  const changed = (job: Job) => (jobIds.includes(job.job_id) ? change(job) : job);
  client.setQueriesData<JobDetail>(
    { queryKey: ['GET /panel/accounts/:account_id/jobs/:job_id'] },
    (old) => old && { ...old, job: changed(old.job) },
  );
  const lists = client.getQueryCache().findAll({ queryKey: ['GET /api/v1/jobs', 'pages'] });
  for (const { queryKey } of lists) {
    const [, , input] = queryKey as unknown as ListKey; // created by readPages
    if (input.params.account_id !== accountId) continue;
    client.setQueryData<InfiniteData<Page<Job>>>(queryKey, (old) => {
      if (!old) return old;
      return { ...old, pages: old.pages.map((page) => ({ ...page, data: page.data.map(changed) })) };
    });
  }
}

function merge(old: InfiniteData<Page<Job>>, changed: Job[], query: JobQuery): InfiniteData<Page<Job>> {
  const byId = new Map(changed.map((job) => [job.job_id, job]));
  const pages = old.pages.map((page) => ({
    ...page,
    data: page.data.flatMap((row) => {
      const now = byId.get(row.job_id);
      if (!now) return [row];
      byId.delete(row.job_id);
      return belongs(now, query) ? [now] : [];
    }),
  }));
  if (isSearch(query)) return { ...old, pages };
  for (const job of byId.values()) {
    if (!belongs(job, query)) continue;
    // A job may end after newer ones. A job that is older than the loaded pages comes with a later page.
    const page = pages.find(
      ({ data, next_cursor }) => next_cursor === null || (data.at(-1)?.job_id ?? '') < job.job_id,
    );
    if (page) page.data = [...page.data, job].sort((a, b) => b.job_id.localeCompare(a.job_id));
  }
  return { ...old, pages };
}

/** `metadata[order]` */
function isPair(name: string): boolean {
  return name.startsWith('metadata[');
}

/** Whether only the server can match the filter, as an `id` may be an Idempotency-Key. Such a list gains no jobs. */
function isSearch({ q, id, colour, batch_id, similar_to, duplicates }: JobQuery): boolean {
  return [q, id, colour, batch_id, similar_to, duplicates].some((one) => one !== undefined);
}

function belongs(job: Job, query: JobQuery): boolean {
  return (
    (!query.status || job.status === query.status) &&
    (!query.model || job.model === query.model) &&
    (!query.key_id || (job.key_id ?? 'panel') === query.key_id) &&
    (!query.from || job.created_at >= query.from) &&
    (!query.to || job.created_at < query.to) &&
    (!query.aspect_ratio || job.aspect_ratio === query.aspect_ratio) &&
    (!query.resolution || job.resolution === query.resolution) &&
    (!query.tag || job.tags?.includes(query.tag) === true) &&
    (!query.starred || String(job.starred) === query.starred) &&
    Object.entries(query).every(
      ([name, value]) => !isPair(name) || job.metadata?.[name.slice(9, -1)] === value,
    )
  );
}
