import type { JobDetail, Model } from '@darkroom/server/panel-contract';
import { NativeSelect, Skeleton, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { rememberedAccount } from '../../api/remembered-account.ts';
import { send } from '../../api/send.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { duration } from '../../ui/time.tsx';
import { once } from '../jobs/idempotency.ts';
import { JobImage } from '../jobs/job-progress.tsx';
import { tookMs } from '../jobs/job-words.ts';
import classes from './connections.module.css';

const firstPrompt = t('A red fox asleep in deep snow, first light, long lens');

/** Makes a test image as an ordinary job of the operator's account. */
export function TestImage({ models }: { models: string[] }) {
  const account = rememberedAccount(useSession());
  if (account) return <Test models={models} accountId={account.account_id} accountName={account.name} />;
  return (
    <Notice tone="calm" title="An image needs an account that pays for it">
      <p>
        There is none yet. <Link href={paths.operatorAccounts()}>Create one</Link>, with a little credit.
      </p>
    </Notice>
  );
}

interface Paying {
  accountId: string;
  accountName: string;
}

function Test({ models, accountId, accountName }: Paying & { models: string[] }) {
  const params = { account_id: accountId };
  const known = useRead('GET /api/v1/models', { params });
  const [model, setModel] = useState(models[0] ?? '');
  const [prompt, setPrompt] = useState(firstPrompt);
  const chosen = known.data?.data.find((one) => one.id === model);
  const make = useMutation({
    mutationFn: () => {
      const body = { prompt, aspect_ratio: ratioOf(chosen) };
      const input = { params: { ...params, model }, body };
      return once({ ...body, model }, (idempotencyKey) =>
        send('POST /api/v1/:model/text-generations', input, { idempotencyKey }),
      );
    },
  });
  const why = whyNot(chosen, prompt);
  const price = priceOf(chosen);
  return (
    <div className={classes.test}>
      <div className="stack">
        {models.length > 1 && (
          <NativeSelect
            label="Model"
            value={model}
            onChange={(event) => setModel(event.currentTarget.value)}
            data={models.map((id) => ({
              value: id,
              label: known.data?.data.find((one) => one.id === id)?.name ?? id,
            }))}
          />
        )}
        <TextInput label="Prompt" value={prompt} onChange={(event) => setPrompt(event.currentTarget.value)} />
        <ProblemAlert error={make.error} />
        <div>
          <ActionButton why={why} loading={make.isPending} onClick={() => make.mutate()}>
            Make a test image{price && known.data && ` · ${price} ${known.data.currency}`}
          </ActionButton>
        </div>
        <p className="small soft">{accountName} pays for it, as for any other; a failed job costs nothing.</p>
      </div>
      {make.data && <Outcome jobId={make.data.job_id} accountId={accountId} accountName={accountName} />}
    </div>
  );
}

/** The polling interval. It is short, because a person is watching a single job. */
const pollMs = 500;

function Outcome({ jobId, accountId, accountName }: Paying & { jobId: string }) {
  const [isOver, setIsOver] = useState<string>();
  const params = { account_id: accountId, job_id: jobId };
  const job = useRead(
    'GET /panel/accounts/:account_id/jobs/:job_id',
    { params },
    isOver === jobId ? {} : { everyMs: pollMs },
  );
  const ended = job.data?.job.finished_at ? jobId : undefined;
  if (ended !== isOver) setIsOver(ended);
  return (
    <section className="stack" aria-label="Test image" aria-live="polite">
      <Await query={job} wait={<Skeleton height={320} />}>
        {(data) => (
          <>
            <JobImage detail={data} />
            <Cost detail={data} accountName={accountName} />
            <p className="row small in-text">
              <Link href={paths.job(accountId, jobId)}>Open the job</Link>
              <Link href={paths.make(accountId, { model: data.job.model })}>Continue in Make</Link>
            </p>
          </>
        )}
      </Await>
    </section>
  );
}

function Cost({ detail, accountName }: { detail: JobDetail; accountName: string }) {
  const { job, upstream } = detail;
  if (job.status !== 'done') return null;
  const took = tookMs(job);
  return (
    <p className="small">
      {took === null ? (
        <>
          Made by <code>{upstream?.route}</code>.
        </>
      ) : (
        <>
          Made by <code>{upstream?.route}</code> in {duration(took)}.
        </>
      )}{' '}
      <span>
        The account {accountName} paid <Money amount={job.price} />.
      </span>{' '}
      {upstream?.cost ? (
        <>
          It cost you <Money amount={upstream.cost} /> at the provider.
        </>
      ) : (
        'The provider does not say what it took; an estimate may stand with the route.'
      )}
    </p>
  );
}

function whyNot(model: Model | undefined, prompt: string): string | undefined {
  if (!model) return t('The model is not there yet.');
  if (!model.modes.includes('text')) return t('It needs an input image. Make the image on the page Make.');
  if (model.paused) return t('{name} is paused.', { name: model.name });
  return prompt.trim() === '' ? t('Describe the image first.') : undefined;
}

function ratioOf(model: Model | undefined): string {
  return model?.aspect_ratios.includes('1:1') ? '1:1' : (model?.aspect_ratios[0] ?? '1:1');
}

/** The price at the default size. */
function priceOf(model: Model | undefined): string | undefined {
  const sizes = model?.resolutions ?? [];
  return (sizes.find(({ resolution }) => resolution === '1K') ?? sizes[0])?.price;
}
