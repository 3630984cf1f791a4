import type { RetentionRow } from '@darkroom/server/panel-contract';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { daysText, partName } from './retention-words.ts';

export function Retention({
  accountId,
  change,
}: {
  accountId: string;
  change?: (rows: RetentionRow[]) => ReactNode;
}) {
  const retention = useRead('GET /api/v1/retention', {
    params: { account_id: accountId },
  });
  return (
    <Section
      title="What is kept"
      hint="Counted from the end of a job; the ledger is kept for good"
      actions={retention.data && change?.(retention.data.data)}
    >
      <Await query={retention}>
        {({ data }) => (
          <DataTable
            caption="What is kept"
            rows={data}
            rowKey={({ part }) => part}
            columns={[
              { name: t('What'), cell: ({ part }) => partName[part] },
              {
                name: t('Kept'),
                align: 'end',
                cell: ({ days, own }) => (
                  <>
                    <span className="number">{daysText(days)}</span>
                    {own && <div className="soft tiny">for this account</div>}
                  </>
                ),
              },
            ]}
          />
        )}
      </Await>
    </Section>
  );
}
