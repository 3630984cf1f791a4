import type { Model } from '@darkroom/server/panel-contract';
import { Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useAccountId } from '../api/account.ts';
import { jobPages } from '../api/job-calls.ts';
import { useRead } from '../api/queries.ts';
import { useSearchState } from '../api/search-state.ts';
import { Developed } from '../features/develop/developed.tsx';
import { Examples } from '../features/examples/examples.tsx';
import { Thumb } from '../features/jobs/thumb.tsx';
import { codeSamples } from '../features/playground/code-samples.ts';
import { CodeTabs } from '../features/playground/code-tabs.tsx';
import { type Draft, useDraft } from '../features/playground/draft.ts';
import { fitted } from '../features/playground/empty-draft.ts';
import { PlaygroundForm } from '../features/playground/playground-form.tsx';
import { Result } from '../features/playground/result.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Await, ProblemAlert } from '../ui/problem-alert.tsx';
import classes from './playground.module.css';

export function PlaygroundPage() {
  const accountId = useAccountId();
  const [{ job }, change] = useSearchState();
  const jobIds = job?.split(',') ?? [];
  const [jobId] = jobIds.length === 1 ? jobIds : [];
  const [draft, update] = useDraft();
  const results = useRef<HTMLDivElement>(null);
  const models = useRead('GET /api/v1/models', { params: { account_id: accountId } });
  return (
    <Page title="Playground" intro="Try prompts here, then copy the same request into your program.">
      <Await query={models} wait={<Skeleton height={480} />}>
        {({ data }) => {
          const model = data.find((one) => one.id === draft.model) ?? data[0];
          if (!model) return <p>No model is configured.</p>;
          const fitting = fitted(draft, model);
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
              <div className={`stack wide ${classes.results}`} ref={results}>
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

function Samples({ draft, model }: { draft: Draft; model: Model }) {
  const urls = draft.inputs.map((input) =>
    'url' in input ? input.url : 'https://… (the link of your result)',
  );
  const samples = codeSamples(
    {
      model: model.id,
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
