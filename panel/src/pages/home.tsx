import type { AccountProblem, Overview } from '@darkroom/server/panel-contract';
import { Button, Skeleton } from '@mantine/core';
import { IconCheck, IconCircle } from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import { useAccountId, useRights } from '../api/account.ts';
import { useRead } from '../api/queries.ts';
import { QuickPrompt } from '../features/make/quick-prompt.tsx';
import { amount, decimals } from '../languages/format.ts';
import { t } from '../languages/words.ts';
import { paths } from '../paths.ts';
import { Bars } from '../ui/figures/bars.tsx';
import { Figure, Figures } from '../ui/figures/figures.tsx';
import { Image } from '../ui/image.tsx';
import { Link, useGo } from '../ui/link.tsx';
import { Money } from '../ui/money.tsx';
import { Notice } from '../ui/notice.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { duration, localHour, RelativeTime } from '../ui/time.tsx';
import classes from './home.module.css';

/** How often the page is read again, for changes without a job, such as a pause. Jobs refresh it themselves. */
const refreshMs = 15_000;

export function HomePage() {
  const accountId = useAccountId();
  const mayMake = useRights().includes('make_pictures');
  const overview = useRead(
    'GET /panel/accounts/:account_id/overview',
    { params: { account_id: accountId } },
    { everyMs: refreshMs },
  );
  return (
    <Page title={t('Home')} heading={overview.data?.account.name ?? t('Home')}>
      <Await query={overview} wait={<Waiting />}>
        {(data) => (
          <div className="stack wide">
            {data.offers_connection && <OfferConnection />}
            <Problems problems={data.problems} accountId={accountId} />
            {mayMake && <QuickPrompt accountId={accountId} examples={data.latest_images.length === 0} />}
            <Latest data={data} accountId={accountId} />
            {(data.latest_images.length > 0 || data.today.jobs > 0) && <Numbers data={data} />}
            <Steps data={data} accountId={accountId} />
            <Hours hours={data.hours} />
          </div>
        )}
      </Await>
    </Page>
  );
}

/** Shown to operators of a new installation. */
function OfferConnection() {
  const go = useGo();
  return (
    <section className={classes.offer} aria-labelledby="offer">
      <div>
        <h2 id="offer">Make real images</h2>
        <p className="soft">
          For now the built-in <code>sketch</code> draws simple scenes, to try things out. Connect a provider
          with its API key, or your own server by its address. It takes a minute and no restart.
        </p>
      </div>
      <Button onClick={() => go(paths.connect())}>Connect a provider</Button>
    </section>
  );
}

function Problems({ problems, accountId }: { problems: AccountProblem[]; accountId: string }) {
  if (problems.length === 0) return null;
  return (
    <ul className="stack tight" aria-label="What is wrong">
      {problems.map((problem) => (
        <li key={problem.kind + problem.subject}>
          <Notice tone={problem.severity === 'error' ? 'bad' : 'warn'} title={problem.text}>
            <div className="row tiny in-text">
              {problem.since && (
                <span>
                  since <RelativeTime at={problem.since} />
                </span>
              )}
              {lookInto(problem, accountId)}
            </div>
          </Notice>
        </li>
      ))}
    </ul>
  );
}

function lookInto(problem: AccountProblem, accountId: string) {
  switch (problem.kind) {
    case 'webhook_failing':
    case 'webhook_disabled':
      return <Link href={paths.webhooks(accountId, { status: 'failed' })}>See the deliveries</Link>;
    case 'jobs_failing':
      return <Link href={paths.jobs(accountId, { status: 'failed' })}>See the failed jobs</Link>;
    case 'queue_slow':
      return <Link href={paths.jobs(accountId, { status: 'queued' })}>See the queue</Link>;
    case 'balance_low':
      return <Link href={paths.balance(accountId)}>See the balance</Link>;
    case 'sign_ins_failing':
      return <Link href={paths.audit({ action: 'sign_in.limited' })}>See the attempts</Link>;
    case 'account_disabled':
    case 'model_paused':
    case 'project_paused':
      return null;
  }
}

function Numbers({ data }: { data: Overview }) {
  const { today, queue, balance } = data;
  return (
    <Figures>
      <Figure name="Available" hint={`${amount(balance.reserved)} reserved`}>
        <Money amount={balance.available} />
      </Figure>
      <Figure
        name="Queue"
        hint={
          queue.oldest_queued_at ? (
            <>
              oldest queued <RelativeTime at={queue.oldest_queued_at} />
            </>
          ) : (
            `${queue.processing} processing`
          )
        }
      >
        {queue.queued + queue.processing}
      </Figure>
      <Figure name="Success rate, today" hint={`${today.done} done, ${today.failed} failed`}>
        {today.success_rate === null ? '–' : percent(today.success_rate)}
      </Figure>
      <Figure
        name="Time to image, today"
        hint={today.p95_ms === null ? 'median' : `95% within ${duration(today.p95_ms)}`}
      >
        {today.p50_ms === null ? '–' : duration(today.p50_ms)}
      </Figure>
      <Figure
        name="Spent today"
        hint={t('{jobs, plural, one {# job} other {# jobs}} since 00:00 UTC', { jobs: today.jobs })}
      >
        <Money amount={today.spent} />
      </Figure>
    </Figures>
  );
}

function percent(share: number): string {
  return `${decimals(share * 100, share === 1 || share === 0 ? 0 : 1)}%`;
}

function Steps({ data: { steps, balance }, accountId }: { data: Overview; accountId: string }) {
  const needsCredit = Number(balance.balance) === 0 && !steps.image_made;
  const mayAdd = useRights().includes('set_alerts');
  const list = [
    ...(needsCredit && mayAdd
      ? [{ done: false, text: t('Add credit'), href: paths.balance(accountId) }]
      : []),
    {
      done: steps.image_made,
      text: t('Make a first image'),
      href: paths.make(accountId),
    },
    {
      done: steps.key_created,
      text: t('Create an API key for your program'),
      href: paths.keys(accountId, { new: 'yes' }),
    },
    { done: steps.key_used, text: t('Send a request with it'), href: paths.firstRequest() },
    {
      done: steps.webhook_set,
      text: t('Set a webhook instead of polling'),
      href: paths.webhooks(accountId),
    },
  ];
  const left = list.filter((step) => !step.done).length;
  if (left === 0) return null;
  return (
    <Section title="Getting started" hint={`${list.length - left} of ${list.length}`}>
      <ol className={classes.steps}>
        {list.map((step) => (
          <li key={step.text} data-done={step.done}>
            {step.done ? <IconCheck size={17} aria-label="Done:" /> : <IconCircle size={17} aria-hidden />}
            {step.href === paths.firstRequest() ? (
              <a href={step.href}>{step.text}</a>
            ) : (
              <Link href={step.href}>{step.text}</Link>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

/**
 * The largest heights of a row in pixels, as in the style sheet. The smallest rendition is enough for a desktop row of
 * 16:9 images.
 */
const highestRow = { phone: 120, desk: 140 };

function sizesOf(ratio: number): string {
  const [phone, desk] = [highestRow.phone, highestRow.desk].map((row) => `${Math.round(ratio * row)}px`);
  return `(max-width: 800px) ${phone}, ${desk}`;
}

function Latest({ data, accountId }: { data: Overview; accountId: string }) {
  if (data.latest_images.length === 0) return null;
  return (
    <Section
      title="Latest images"
      hint={keptText(data.retention)}
      actions={<Link href={paths.jobs(accountId)}>All images</Link>}
    >
      <ul className={classes.images}>
        {data.latest_images.map(({ job_id, prompt, result }) => {
          if (!result) return null;
          const ratio = result.width / result.height;
          return (
            <li key={job_id} style={{ '--ratio': ratio } as CSSProperties /* a variable of the sheet */}>
              <Link href={paths.image(accountId, job_id)} title={prompt}>
                <Image facts={result} alt={prompt} sizes={sizesOf(ratio)} />
              </Link>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Hours({ hours }: { hours: Overview['hours'] }) {
  const total = hours.reduce((sum, hour) => sum + hour.done + hour.failed + hour.open, 0);
  if (total === 0) return null;
  const items = hours.map((hour) => ({
    name: hour.hour,
    tick: localHour(hour.hour),
    values: [hour.done, hour.failed, hour.open],
    text: t('{hour}: {done} done, {failed} failed, {open} unfinished', {
      ...hour,
      hour: localHour(hour.hour),
    }),
  }));
  return (
    <Section title="Jobs in the last 24 hours">
      <div className="card padded">
        <Bars
          label="Jobs per hour in the last 24 hours; the table below has the numbers"
          series={[
            { name: t('Done'), color: 'var(--series-1)' },
            { name: t('Failed'), color: 'var(--series-failed)' },
            { name: t('Unfinished'), color: 'var(--series-2)' },
          ]}
          items={items}
          height={120}
          format={(value) => (Number.isInteger(value) ? String(value) : '')}
        />
        <details className={classes.numbers}>
          <summary className="soft">Show the numbers</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">Hour</th>
                <th scope="col">Done</th>
                <th scope="col">Failed</th>
                <th scope="col">Unfinished</th>
              </tr>
            </thead>
            <tbody>
              {hours.map((hour) => (
                <tr key={hour.hour}>
                  <th scope="row">{localHour(hour.hour)}</th>
                  <td>{hour.done}</td>
                  <td>{hour.failed}</td>
                  <td>{hour.open}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </div>
    </Section>
  );
}

function Waiting() {
  return (
    <div className="stack wide" aria-busy>
      <Skeleton height={88} />
      <Skeleton height={160} />
    </div>
  );
}

/** This text is repeated here, because importing other pages' words would load one more script. */
function keptText({ pictures_days: days, starred }: Overview['retention']): string {
  return starred === 0
    ? t('Kept for {days, plural, one {# day} other {# days}}', { days })
    : t('Kept for {days, plural, one {# day} other {# days}}; up to {starred} starred or in albums stay', {
        days,
        starred,
      });
}
