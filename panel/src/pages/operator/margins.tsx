import type { AnswerOf, Margin } from '@darkroom/server/panel-contract';
import { SegmentedControl } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import { linkOf } from '../../api/send.ts';
import { useSession } from '../../api/session.ts';
import { MarginTable, marginShare } from '../../features/models/margin-table.tsx';
import { daysOf } from '../../features/usage/period.ts';
import { PeriodChoice } from '../../features/usage/period-choice.tsx';
import { decimals, number, shortDay, utcDay } from '../../languages/format.ts';
import { t, words } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Bars } from '../../ui/figures/bars.tsx';
import { Figure, Figures } from '../../ui/figures/figures.tsx';
import { DownloadButton, Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { FiguresSkeleton } from '../../ui/skeletons.tsx';
import classes from '../usage.module.css';

const groups = [
  { value: 'model', label: t('Model') },
  { value: 'account', label: t('Account') },
  { value: 'route', label: t('Route') },
  { value: 'provider', label: t('Provider') },
] as const;

export function MarginsPage() {
  const [search, change] = useSearchState();
  const days = daysOf(search);
  const { from, to } = days;
  const { value: by } = groups.find(({ value }) => value === search.by) ?? groups[0];
  const perDay = useRead('GET /admin/v1/margins', { query: { from, to, group_by: 'day' } }, { keep: true });
  const names = useNames();
  const perGroup = useRead('GET /admin/v1/margins', { query: { from, to, group_by: by } }, { keep: true });
  return (
    <Page
      title="Margins"
      intro="By UTC day: what clients paid, less what attempts cost upstream. It stays when jobs are removed."
      actions={
        <>
          <Link href={paths.owed()}>Owed to accounts</Link>
          <Link href={paths.rates()}>Rates of providers</Link>
          <Link href={paths.billCheck()}>Check a bill</Link>
          <DownloadButton
            href={linkOf('GET /admin/v1/margins.csv', { query: { from, to, group_by: `${by},day` } })}
          >
            Download CSV
          </DownloadButton>
        </>
      }
    >
      <div className={classes.choices}>
        <PeriodChoice days={days} onChange={change} />
        <SegmentedControl
          aria-label="Split by"
          value={by}
          onChange={(value) => change({ by: value })}
          data={[...groups]}
        />
      </div>
      <MarginAlerts />
      <Await query={perDay} wait={<FiguresSkeleton />}>
        {(data) => (
          <div className="stack wide">
            <Total margins={data} />
            <MarginChart days={data.data} />
            <Await query={perGroup} wait={<FiguresSkeleton count={1} />}>
              {({ data: rows }) => (
                <MarginTable margins={rows} by={by} cell={(row) => <Name row={row} names={names} />} />
              )}
            </Await>
          </div>
        )}
      </Await>
    </Page>
  );
}

/** Alerts of today and yesterday, whatever period the page shows. */
function MarginAlerts() {
  const { data } = useRead('GET /admin/v1/margins/alerts', {});
  if (!data || data.data.length === 0) return null;
  return (
    <Notice tone="warn" title="Since yesterday">
      {data.data.map(
        ({ model, alert, revenue_per_image: revenue, cost_per_image: cost, cost_before: before }) => (
          <p key={`${model} ${alert}`}>
            <code>{model}</code>{' '}
            {alert === 'below_cost' ? (
              <>
                is sold below its cost: an image brings <Money amount={revenue} /> and costs{' '}
                <Money amount={cost} />, with failures.
              </>
            ) : (
              <>
                has become dearer: an image costs <Money amount={cost} />, and cost{' '}
                <Money amount={before ?? '0.00'} /> in the four weeks before.
              </>
            )}
          </p>
        ),
      )}
    </Notice>
  );
}

function Total({ margins: { total } }: { margins: AnswerOf<'GET /admin/v1/margins'> }) {
  const { images_without_cost: free, unknown_attempts: unknown } = total;
  return (
    <>
      <Figures>
        <Figure name="Revenue">
          <Money amount={total.revenue} />
        </Figure>
        <Figure
          name="Cost"
          hint={
            total.cost !== null &&
            Number(total.cost_without_revenue) !== 0 && (
              <>
                <Money amount={total.cost_without_revenue} /> of it without revenue
              </>
            )
          }
        >
          {total.cost === null ? 'not known' : <Money amount={total.cost} />}
        </Figure>
        <Figure name="Margin" hint={total.margin !== null && marginShare(total.margin, total.revenue)}>
          {total.margin === null ? 'not known' : <Money amount={total.margin} sign />}
        </Figure>
        <Figure name="Images">{number(total.images)}</Figure>
      </Figures>
      {free + unknown > 0 && (
        <Notice
          tone="warn"
          title={total.margin === null ? 'The margin is not known' : 'The margin is at most this'}
        >
          {free > 0 && (
            <p>
              Nobody knows what {number(free)} of the images cost. Give their routes a cost in{' '}
              <Link href={paths.models()}>Models</Link>.
            </p>
          )}
          {unknown > 0 && (
            <p>
              {words(
                '{unknown, plural, one {# attempt may be billed although it} other {# attempts may be billed although they}} brought no image: up to {money}, as far as it is known. Only the bill of the provider tells: <link>check it</link>.',
                {
                  unknown,
                  money: <Money amount={total.possible_cost} />,
                  link: (within) => <Link href={paths.billCheck()}>{within}</Link>,
                },
              )}
            </p>
          )}
        </Notice>
      )}
    </>
  );
}

/** The bar's height is the revenue, unless something was sold below its cost. */
function MarginChart({ days }: { days: Margin[] }) {
  const { currency } = useSession();
  if (days.length === 0)
    return (
      <EmptyState title="Nothing was made in this period">
        Revenue, cost and margin appear here with the first image.
      </EmptyState>
    );
  if (days.every(({ margin }) => margin === null)) return null;
  const items = days.toReversed().map((one) => {
    const [cost, wasted, margin] = [one.cost, one.cost_without_revenue, one.margin].map(Number);
    const text = t('{day}: revenue {revenue}, cost {cost}, margin {margin} {currency}', {
      day: one.day ? utcDay(one.day) : '',
      revenue: one.revenue,
      cost: one.cost ?? t('not known'),
      margin: one.margin ?? t('not known'),
      currency,
    });
    return {
      name: one.day ?? '',
      tick: one.day ? shortDay(one.day) : '',
      values: [(cost ?? 0) - (wasted ?? 0), wasted ?? 0, Math.max(0, margin ?? 0)],
      text,
    };
  });
  return (
    <Section title={`Per day, ${currency}`}>
      <div className="card padded">
        <Bars
          label="Cost and margin per day; the table has the numbers"
          series={[
            { name: t('Cost of images'), color: 'var(--series-2)' },
            { name: t('Cost without revenue'), color: 'var(--series-failed)' },
            { name: t('Margin'), color: 'var(--series-1)' },
          ]}
          items={items}
          height={220}
          format={(value) => decimals(value, 2)}
        />
      </div>
    </Section>
  );
}

function Name({ row, names }: { row: Margin; names: ReturnType<typeof useNames> }) {
  const { account_id: id, account, model, route, provider } = row;
  const { models, providers } = names;
  if (id !== undefined) return <Link href={paths.operatorAccount(id)}>{account ?? id}</Link>;
  if (provider !== undefined) return providers.get(provider) ?? (provider || t('not noted'));
  const [modelId = '', ...rest] = (model ?? route ?? '').split('/');
  if (modelId === '') return t('not noted');
  return (
    <>
      {models.has(modelId) ? <Link href={paths.model(modelId)}>{models.get(modelId)}</Link> : modelId}
      {rest.length > 0 && <div className="soft tiny">{rest.join('/')}</div>}
    </>
  );
}

function useNames() {
  const models = useRead('GET /panel/operator/models', {}).data?.models ?? [];
  const providers = useRead('GET /panel/operator/connections', {}).data?.providers ?? [];
  return {
    models: new Map(models.map(({ model }) => [model.id, model.name])),
    providers: new Map<string, string>(providers.map(({ provider, name }) => [provider, name])),
  };
}
