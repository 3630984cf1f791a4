import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { linkOf } from '../../api/send.ts';
import { movementWords } from '../../features/money/movements.ts';
import { StatementActions, StatementSheet } from '../../features/money/statement-sheet.tsx';
import { monthName } from '../../features/money/statements.tsx';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';

export function InstallationStatementPage() {
  const { month = '' } = useParams({ strict: false }) as { month?: string }; // the path has this parameter
  const params = { month };
  const statement = useRead('GET /admin/v1/statements/:month', { params });
  return (
    <Page
      title={`Statement of ${monthName(month)}`}
      intro={<Link href={paths.owed()}>Owed to accounts</Link>}
      actions={<StatementActions csv={linkOf('GET /admin/v1/statements/:month/csv', { params })} />}
    >
      <Await query={statement} wait={<TableSkeleton rows={5} />}>
        {(data) => <StatementSheet statement={data} account={t('All accounts')} words={movementWords} />}
      </Await>
    </Page>
  );
}
