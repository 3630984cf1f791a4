import { useRead } from '../../api/queries.ts';
import { linkOf } from '../../api/send.ts';
import { OwedDays } from '../../features/money/owed.tsx';
import { MonthLinks } from '../../features/money/statements.tsx';
import { daysOf } from '../../features/usage/period.ts';
import { PeriodChoice } from '../../features/usage/period-choice.tsx';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { DownloadButton, Link } from '../../ui/link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { FiguresSkeleton } from '../../ui/skeletons.tsx';
import classes from '../usage.module.css';

export function OwedPage() {
  const [search, change] = useSearchState();
  const days = daysOf(search);
  const query = { from: days.from, to: days.to };
  const owed = useRead('GET /admin/v1/owed', { query }, { keep: true });
  const months = useRead('GET /admin/v1/statements', {});
  return (
    <Page
      title="Owed to accounts"
      intro="The balance of all accounts at the end of each UTC day, and what changed it."
      actions={
        <>
          <Link href={paths.margins()}>Margins</Link>
          <DownloadButton href={linkOf('GET /admin/v1/owed.csv', { query })}>Download CSV</DownloadButton>
        </>
      }
    >
      <div className={classes.choices}>
        <PeriodChoice days={days} onChange={change} />
      </div>
      <Await query={owed} wait={<FiguresSkeleton count={5} />}>
        {(data) => (
          <div className="stack wide">
            <OwedDays {...data} />
            <Section title="Statements of all accounts" hint="Months of UTC">
              <MonthLinks months={months.data?.data ?? []} path={paths.installationStatement} />
            </Section>
          </div>
        )}
      </Await>
    </Page>
  );
}
