import { useParams } from '@tanstack/react-router';
import { useAccountId } from '../api/account.ts';
import { useRead } from '../api/queries.ts';
import { linkOf } from '../api/send.ts';
import { kindWords } from '../features/money/entry-table.tsx';
import { StatementActions, StatementSheet } from '../features/money/statement-sheet.tsx';
import { monthName } from '../features/money/statements.tsx';
import { Page } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { TableSkeleton } from '../ui/skeletons.tsx';

export function StatementPage() {
  const { month = '' } = useParams({ strict: false }) as { month?: string }; // the path has this parameter
  const params = { account_id: useAccountId(), month };
  const statement = useRead('GET /api/v1/statements/:month', { params });
  return (
    <Page
      title={`Statement of ${monthName(month)}`}
      actions={<StatementActions csv={linkOf('GET /api/v1/statements/:month/csv', { params })} />}
    >
      <Await query={statement} wait={<TableSkeleton rows={5} />}>
        {(data) => (
          <StatementSheet
            statement={data}
            account={
              <>
                {data.account}
                <div className="soft tiny">
                  <code>{params.account_id}</code>
                </div>
              </>
            }
            words={kindWords}
          />
        )}
      </Await>
    </Page>
  );
}
