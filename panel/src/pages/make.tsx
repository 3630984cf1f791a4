import type { Job, Model } from '@darkroom/server/panel-contract';
import { Button, Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useAccountId } from '../api/account.ts';
import { ownJobPages } from '../api/job-calls.ts';
import { useRead } from '../api/queries.ts';
import { Comparison } from '../features/compare/comparison.tsx';
import { Examples } from '../features/examples/examples.tsx';
import { codeSamples } from '../features/make/code-samples.ts';
import { CodeTabs } from '../features/make/code-tabs.tsx';
import { type Draft, useDraft } from '../features/make/draft.ts';
import { fitted } from '../features/make/empty-draft.ts';
import { Filmstrip } from '../features/make/filmstrip.tsx';
import { MakeForm } from '../features/make/make-form.tsx';
import { OwnImages } from '../features/make/own-images.tsx';
import { Result } from '../features/make/result.tsx';
import { t } from '../languages/words.ts';
import { paths } from '../paths.ts';
import { useSearchState } from '../search-state.ts';
import { Link, useGo } from '../ui/link.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import classes from './make.module.css';

export function MakePage() {
  const accountId = useAccountId();
  const [{ job }, change] = useSearchState();
  const [draft, update, isComing] = useDraft();
  const toShow = useRef(false);
  const go = useGo();
  const models = useRead('GET /api/v1/models', { params: { account_id: accountId } });
  return (
    <Page
      title="Make"
      intro="Try prompts here, then copy the same request into your program."
      actions={
        <Button variant="default" onClick={() => go(paths.newBatch(accountId))}>
          New batch
        </Button>
      }
    >
      <Await query={isComing ? { ...models, data: undefined } : models} wait={<Skeleton height={480} />}>
        {({ data }) => {
          const model = data.find((one) => one.id === draft.model) ?? data[0];
          if (!model) return <p>No model is configured.</p>;
          const fitting = fitted(draft, model);
          return (
            <div className={classes.columns}>
              <MakeForm
                models={data}
                model={model}
                draft={fitting}
                onChange={update}
                onMade={(made) => {
                  toShow.current = true;
                  change({ job: made.join(',') });
                }}
              />
              <div className={classes.results}>
                <Results jobIds={job?.split(',') ?? []} toShow={toShow} onExample={update}>
                  <Section title="Use it from code">
                    <Samples draft={fitting} model={model} />
                  </Section>
                </Results>
              </div>
            </div>
          );
        }}
      </Await>
    </Page>
  );
}

/** On narrower screens, results are below the form, as in the style sheet. */
const belowForm = '(max-width: 1000px)';

const recentLength = 24;
const ownLength = 12;

function Results(props: {
  jobIds: string[];
  toShow: RefObject<boolean>;
  onExample: (some: Partial<Draft>) => void;
  /** Rendered only after the images, so that it does not move. */
  children: ReactNode;
}) {
  const { jobIds } = props;
  const [, change] = useSearchState();
  const accountId = useAccountId();
  const [jobId] = jobIds;
  const show = (made: string) => change({ job: made });
  return (
    <Await query={useOwnJobs(accountId)} wait={<Skeleton height={480} />}>
      {({ recent, images }) => (
        <>
          <Filmstrip
            jobs={jobId && recent.length > 1 ? recent : recent.filter((job) => isOpen(job) && !jobId)}
            current={jobIds}
            onPick={show}
          />
          {jobId ? (
            <Made jobIds={jobIds} toShow={props.toShow} />
          ) : images.length > 0 ? (
            <Section title="Your images" actions={<Link href={paths.jobs(accountId)}>All images</Link>}>
              <OwnImages jobs={images} onPick={show} />
            </Section>
          ) : (
            <Section title="Try one of these" hint="Drawn by the built-in sketch">
              <Examples onPick={(prompt) => props.onExample({ prompt, editedFrom: null })} />
            </Section>
          )}
          {props.children}
        </>
      )}
    </Await>
  );
}

/** Shows the latest images. Scrolls to new ones if they are below the form. */
function Made({ jobIds, toShow }: { jobIds: string[]; toShow: RefObject<boolean> }) {
  const [, change] = useSearchState();
  const frame = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls again for other images
  useEffect(() => {
    if (toShow.current && window.matchMedia(belowForm).matches) frame.current?.scrollIntoView();
    toShow.current = false;
  }, [jobIds.join()]);
  const [jobId = ''] = jobIds;
  return (
    <div className={classes.made} ref={frame}>
      {jobIds.length > 1 ? (
        <Comparison
          jobIds={jobIds}
          onDiscard={(gone) => change({ job: jobIds.filter((id) => id !== gone).join(',') })}
          onUse={(from) => change({ from, also: undefined, ratios: undefined, count: undefined })}
        />
      ) : (
        <Result jobId={jobId} onInput={(input) => change({ input })} />
      )}
    </div>
  );
}

function useOwnJobs(accountId: string) {
  const pages = ownJobPages(accountId);
  const asked = useInfiniteQuery(pages.asked);
  const done = useInfiniteQuery(pages.done);
  const [recent, images] = [asked, done].map(({ data }) => data?.pages[0]?.data);
  return {
    data: recent &&
      images && {
        recent: recent.slice(0, recentLength),
        images: images.filter(({ result }) => result?.image_url).slice(0, ownLength),
      },
    error: asked.error ?? done.error,
    refetch: () => Promise.all([asked.refetch(), done.refetch()]),
  };
}

function isOpen({ finished_at }: Job): boolean {
  return finished_at === null;
}

function Samples({ draft, model }: { draft: Draft; model: Model }) {
  const urls = draft.inputs.map((input) =>
    'url' in input ? input.url : t('https://… (the link of your result)'),
  );
  const samples = codeSamples(
    {
      model: model.id,
      mode: draft.mode === 'image' ? 'url' : 'text',
      body: {
        prompt: draft.prompt || t('What should the image show?'),
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
