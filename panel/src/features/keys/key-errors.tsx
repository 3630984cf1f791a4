import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { daysOf, timesOf } from '../usage/period.ts';
import { seriesName } from '../usage/usage-charts.tsx';

export function KeyErrors({ keyId }: { keyId: string }) {
  const accountId = useAccountId();
  const [search] = useSearchState();
  const { period: _, ...days } = daysOf(search);
  const query = { group_by: 'error' as const, key_id: keyId, ...days };
  const usage = useRead('GET /api/v1/usage', { params: { account_id: accountId }, query }, { keep: true });
  // Leaves out the series with an empty id, which has the jobs without an error.
  const errors = usage.data?.series.filter(({ id }) => id !== '') ?? [];
  if (errors.length === 0) return null;
  // These are days in UTC, but the list of jobs reads days as local ones.
  const times = { from: timesOf(days.from, 'day').from, to: timesOf(days.to, 'day').to };
  const failed = errors.reduce((sum, { jobs }) => sum + jobs, 0);
  return (
    <Section
      title="Errors"
      hint={
        <Link href={paths.jobs(accountId, { key: keyId, status: 'failed', ...times })}>
          See the failed jobs
        </Link>
      }
    >
      <DataTable
        caption="Failed jobs by error"
        rows={errors}
        rowKey={({ id }) => id}
        columns={[
          { name: t('Error'), cell: (error) => seriesName(error) },
          { name: t('Code'), wideOnly: true, cell: ({ id }) => <code>{id}</code> },
          { name: t('Jobs'), align: 'end', cell: ({ jobs }) => number(jobs) },
          {
            name: t('Share'),
            align: 'end',
            cell: ({ jobs }) => `${Math.round((jobs / failed) * 100)}%`,
          },
        ]}
      />
    </Section>
  );
}
