import { SegmentedControl } from '@mantine/core';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { number } from '../../languages/format.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { Figure, Figures } from '../../ui/figures/figures.tsx';
import { Money } from '../../ui/money.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { FiguresSkeleton } from '../../ui/skeletons.tsx';
import { daysOf, periods, timesOf } from '../usage/period.ts';
import { type SlotName, slotsOf } from '../usage/slots.ts';
import { UsageChart } from '../usage/usage-charts.tsx';
import { BySlot, Duration } from '../usage/usage-tables.tsx';

export function KeyUsage({ keyId }: { keyId: string }) {
  const accountId = useAccountId();
  const [search, change] = useSearchState();
  const { period, ...days } = daysOf(search);
  const query = { group_by: 'model' as const, key_id: keyId, ...days, include: 'times' as const };
  const usage = useRead('GET /api/v1/usage', { params: { account_id: accountId }, query }, { keep: true });
  const jobsOf = (slot: SlotName) => (at: string) =>
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
              <Figure name="Jobs">{number(data.total.jobs)}</Figure>
              <Figure name="Failed">{number(data.total.failed)}</Figure>
              <Figure name="Time, p50">
                <Duration ms={data.total.p50_ms} />
              </Figure>
            </Figures>
            {data.total.jobs > 0 && (
              <>
                <UsageChart usage={data} view="cost" jobsOf={jobsOf(slotsOf(data).slot)} />
                <BySlot usage={data} jobsOf={jobsOf(slotsOf(data).slot)} />
              </>
            )}
          </div>
        )}
      </Await>
    </Section>
  );
}
