import type { Job, PanelModel } from '@darkroom/server/panel-contract';
import { Button, Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useAccountId } from '../api/account.ts';
import { jobPages } from '../api/job-calls.ts';
import { useRead } from '../api/queries.ts';
import { useSearchState } from '../api/search-state.ts';
import { Developed } from '../features/develop/developed.tsx';
import { Examples } from '../features/examples/examples.tsx';
import { useResult } from '../features/inputs/input-images.tsx';
import { JobPicture } from '../features/jobs/job-progress.tsx';
import { shape, tookMs } from '../features/jobs/job-words.ts';
import { Thumb } from '../features/jobs/thumb.tsx';
import { codeSamples } from '../features/playground/code-samples.ts';
import { CodeTabs } from '../features/playground/code-tabs.tsx';
import { type Draft, useDraft } from '../features/playground/draft.ts';
import { PlaygroundForm } from '../features/playground/playground-form.tsx';
import { paths } from '../paths.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Link } from '../ui/link.tsx';
import { Money } from '../ui/money.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Await, ProblemAlert } from '../ui/problem-alert.tsx';
import { duration, Expiry } from '../ui/time.tsx';
import classes from './playground.module.css';

export function PlaygroundPage() {
  const accountId = useAccountId();
  const [{ job }, change] = useSearchState();
  const jobIds = job?.split(',') ?? [];
  const [jobId] = jobIds.length === 1 ? jobIds : [];
  const [draft, update] = useDraft();
  const results = useRef<HTMLDivElement>(null);
  const models = useRead('GET /panel/accounts/:account_id/models', { params: { account_id: accountId } });
  return (
    <Page title="Playground" intro="Try prompts here, then copy the same request into your program.">
      <Await query={models} wait={<Skeleton height={480} />}>
        {({ data }) => {
          const model = data.find((one) => one.model === draft.model) ?? data[0];
          if (!model) return <p>No model is configured.</p>;
          const fitting = fit(draft, model);
          return (
            <div className={classes.columns}>
              <PlaygroundForm
                models={data}
                model={model}
                draft={fitting}
                onChange={update}
                onMade={(made) => {
                  change({ job: made.join(',') });
                  if (window.matchMedia(belowForm).matches) results.current?.scrollIntoView();
                }}
              />
              <div className="stack wide" ref={results}>
                {jobIds.length > 1 && (
                  <Developed
                    jobIds={jobIds}
                    onDiscard={(gone) => change({ job: jobIds.filter((id) => id !== gone).join(',') })}
                    onUse={(from) => change({ from, also: undefined, count: undefined })}
                  />
                )}
                {jobId && <Result jobId={jobId} onInput={(input) => change({ input })} />}
                {jobIds.length === 0 && (
                  <Section title="Try one of these" hint="Drawn by the built-in sketch">
                    <Examples onPick={(prompt) => update({ prompt, editedFrom: null })} />
                  </Section>
                )}
                <History onPick={(made) => change({ job: made })} current={jobId} />
                <Section title="Use it from code">
                  <Samples draft={fitting} model={model} />
                </Section>
              </div>
            </div>
          );
        }}
      </Await>
    </Page>
  );
}

/** Where results come below the form, as in the style sheet. */
const belowForm = '(max-width: 1000px)';

/** Replaces values that the model does not take. */
function fit(draft: Draft, model: PanelModel): Draft {
  const ratio = model.aspect_ratios.includes(draft.ratio) ? draft.ratio : (model.aspect_ratios[0] ?? '1:1');
  const known = model.resolutions.some((one) => one.resolution === draft.resolution);
  const [onlyMode] = model.modes.length === 1 ? model.modes : [];
  return {
    ...draft,
    ...(onlyMode && { mode: onlyMode === 'url' ? ('image' as const) : ('text' as const) }),
    parameters: Object.fromEntries(
      Object.entries(draft.parameters).filter(([name]) => Object.hasOwn(model.parameters, name)),
    ),
    ratio,
    resolution: known ? draft.resolution : (model.resolutions[0]?.resolution ?? '1K'),
  };
}

/** Live updates report every change; this is for when they are interrupted. */
const pollMs = 2_000;

function Result({ jobId, onInput }: { jobId: string; onInput: (jobId: string) => void }) {
  const accountId = useAccountId();
  const params = { account_id: accountId, job_id: jobId };
  const open = useResult(jobId)?.finished_at === null;
  const job = useRead(
    'GET /panel/accounts/:account_id/jobs/:job_id',
    { params },
    open ? { everyMs: pollMs } : {},
  );
  return (
    <Await query={job} wait={<Skeleton height={360} />}>
      {(data) => (
        <section className="stack" aria-label="Result">
          <JobPicture detail={data} />
          <ResultWords job={data.job} expiresAt={data.image_expires_at} />
          <div className="row">
            {data.job.result?.image_url && (
              <>
                <Button
                  component="a"
                  href={data.job.result.image_url}
                  download={`${jobId}.png`}
                  variant="default"
                >
                  Download
                </Button>
                <Button variant="default" onClick={() => onInput(jobId)}>
                  Use as input
                </Button>
              </>
            )}
            <Link href={paths.job(accountId, jobId)}>Open the job</Link>
          </div>
        </section>
      )}
    </Await>
  );
}

function ResultWords({ job, expiresAt }: { job: Job; expiresAt: string | null }) {
  const { result } = job;
  const took = tookMs(job);
  return (
    <p className="row small soft" style={{ gap: '4px 8px' }}>
      <span>{shape(job)}</span>
      {result && (
        <span className="number">
          {result.width} × {result.height}
        </span>
      )}
      {took !== null && <span>in {duration(took)}</span>}
      {job.status === 'done' && <Money amount={job.price} />}
      {result?.image_url && expiresAt && (
        <span className="row" style={{ gap: 2 }}>
          <span>
            Link <Expiry at={expiresAt} />
          </span>
          <CopyButton text={new URL(result.image_url, location.origin).href} what="image link" />
        </span>
      )}
    </p>
  );
}

/** As many as fit in one row. */
const historyLength = 8;

function History({ onPick, current }: { onPick: (jobId: string) => void; current: string | undefined }) {
  const jobs = useInfiniteQuery(jobPages(useAccountId(), { key_id: 'panel' }));
  const recent = jobs.data?.pages[0]?.data.slice(0, historyLength) ?? [];
  if (jobs.error) return <ProblemAlert error={jobs.error} />;
  if (recent.length === 0) return null;
  return (
    <Section title="Recent">
      <ul className={classes.history}>
        {recent.map((job) => (
          <li key={job.job_id}>
            <button
              type="button"
              title={job.prompt}
              aria-label={`Show: ${job.prompt}`}
              aria-pressed={job.job_id === current}
              onClick={() => onPick(job.job_id)}
            >
              <Thumb job={{ ...job, prompt: '' }} size={56} />
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Samples({ draft, model }: { draft: Draft; model: PanelModel }) {
  const urls = draft.inputs.map((input) =>
    'url' in input ? input.url : 'https://… (the link of your result)',
  );
  const samples = codeSamples(
    {
      model: model.model,
      mode: draft.mode === 'image' ? 'url' : 'text',
      body: {
        prompt: draft.prompt || 'What should the image show?',
        aspect_ratio: draft.ratio,
        ...(model.selectable && draft.resolution !== '1K' && { resolution: draft.resolution }),
        ...(Object.keys(draft.parameters).length > 0 && { parameters: draft.parameters }),
        ...(draft.mode === 'image' && { input_images_urls: urls }),
      },
    },
    location.origin,
  );
  return <CodeTabs samples={samples} />;
}
