import { useAccountId } from '../../api/account.ts';
import { promptLength } from '../../api/job-calls.ts';
import { useRead } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { shape, shortPrompt } from '../jobs/job-words.ts';

export function KeyJobs({ keyId }: { keyId: string }) {
  const accountId = useAccountId();
  const jobs = useRead('GET /api/v1/jobs', {
    params: { account_id: accountId },
    query: { key_id: keyId, limit: '10', prompt_length: promptLength },
  });
  return (
    <Section
      title="Latest jobs"
      hint={<Link href={paths.jobs(accountId, { key: keyId })}>All jobs of this key</Link>}
    >
      <Await query={jobs} wait={<TableSkeleton rows={5} />}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft small">This key has made no jobs yet.</p>
          ) : (
            <DataTable
              caption="Latest jobs of this key"
              rows={data}
              rowKey={({ job_id }) => job_id}
              columns={[
                {
                  name: t('Prompt'),
                  cell: (job) => (
                    <Link href={paths.job(accountId, job.job_id)} className="row-link">
                      {shortPrompt(job.prompt) || 'Deleted'}
                    </Link>
                  ),
                },
                { name: t('Status'), cell: ({ status }) => <StatusBadge status={status} /> },
                {
                  name: t('Model'),
                  wideOnly: true,
                  cell: (job) => <span className="soft">{shape(job)}</span>,
                },
                {
                  name: t('Price'),
                  align: 'end',
                  wideOnly: true,
                  cell: (job) => <Money amount={job.price} bare />,
                },
                {
                  name: t('Created'),
                  align: 'end',
                  wideOnly: true,
                  cell: (job) => <RelativeTime at={job.created_at} />,
                },
              ]}
            />
          )
        }
      </Await>
    </Section>
  );
}
