import { SegmentedControl } from '@mantine/core';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { useSearchState } from '../../api/search-state.ts';
import { paths } from '../../paths.ts';
import { Figure, Figures } from '../../ui/figures/figures.tsx';
import { Money } from '../../ui/money.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { FiguresSkeleton } from '../../ui/skeletons.tsx';
import { ActivityChart } from '../usage/activity-charts.tsx';
import { BySlot, Duration } from '../usage/activity-tables.tsx';
import { daysOf, periods, timesOf } from '../usage/period.ts';

/** What a key made and spent over time. */
export function KeyUsage({ keyId }: { keyId: string }) {
  const accountId = useAccountId();
  const [search, change] = useSearchState();
  const { period, ...days } = daysOf(search);
  const query = { by: 'model' as const, key_id: keyId, ...days };
  const usage = useRead(
    'GET /panel/accounts/:account_id/usage',
    { params: { account_id: accountId }, query },
    { keep: true },
  );
  const jobsOf = (slot: 'hour' | 'day') => (at: string) =>
    paths.jobs(accountId, { key: keyId, ...timesOf(at, slot) });
  return (
    <Section
      title="Use"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Period"
          value={period}
          onChange={(value) => change({ period: value })}
          data={[...periods]}
        />
      }
    >
      <Await query={usage} wait={<FiguresSkeleton />}>
        {(data) => (
          <div className="stack wide">
            <Figures>
              <Figure name="Spent">
                <Money amount={data.total.cost} />
              </Figure>
              <Figure name="Jobs">{data.total.jobs.toLocaleString('en')}</Figure>
              <Figure name="Failed">{data.total.failed.toLocaleString('en')}</Figure>
              <Figure name="Time, p50">
                <Duration ms={data.total.p50_ms} />
              </Figure>
            </Figures>
            {data.total.jobs > 0 && (
              <>
                <ActivityChart activity={data} view="cost" jobsOf={jobsOf(data.slot)} />
                <BySlot activity={data} jobsOf={jobsOf(data.slot)} />
              </>
            )}
          </div>
        )}
      </Await>
    </Section>
  );
}
