import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { locale } from '../../languages/language.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import classes from './statements.module.css';

export function Statements() {
  const accountId = useAccountId();
  const { data } = useRead('GET /api/v1/statements', {
    params: { account_id: accountId },
  });
  return (
    <Section title="Statements" hint="Months of UTC">
      <MonthLinks months={data?.data ?? []} path={(month) => paths.statement(accountId, month)} />
    </Section>
  );
}

export function MonthLinks({ months, path }: { months: string[]; path: (month: string) => string }) {
  return (
    <ul className={classes.months}>
      {months.map((month) => (
        <li key={month}>
          <Link href={path(month)}>{monthName(month)}</Link>
        </li>
      ))}
    </ul>
  );
}

/** Returns an invalid month as it is in the URL. */
export function monthName(month: string): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return month;
  return date.toLocaleDateString(locale === 'en-US' ? 'en-GB' : locale, {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
