import { IconBook } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { paths } from '../paths.ts';
import { Link } from '../ui/link.tsx';
import { Money } from '../ui/money.tsx';
import { AccountSwitch } from './account-switch.tsx';
import classes from './navigation.module.css';
import { accountPages, operatorPages, type PageEntry } from './pages.ts';
import { PersonMenu } from './person-menu.tsx';

export function Navigation({ accountId }: { accountId: string | undefined }) {
  const session = useSession();
  // Undefined if an operator has opened an account that is not in their list.
  const account = session.accounts.find(({ account_id: id }) => id === accountId);
  const { rights } = account ?? session;
  return (
    <div className={classes.navigation}>
      {accountId && <AccountSwitch accountId={accountId} />}
      <nav aria-label="Pages" className={classes.groups}>
        {accountId && (
          <ul>
            {accountPages(accountId)
              .filter(({ right }) => right === undefined || rights.includes(right))
              .map((page) => (
                <Item key={page.href} page={page} />
              ))}
          </ul>
        )}
        {session.operator && (
          <div>
            <p className={classes.groupName} id="operator-pages">
              Operator
            </p>
            <ul aria-labelledby="operator-pages">
              {operatorPages.map((page) => (
                <Item key={page.href} page={page} />
              ))}
            </ul>
          </div>
        )}
        <ul>
          <li>
            <a href={paths.docs()} className={classes.item}>
              <IconBook size={17} stroke={1.6} aria-hidden />
              Documentation
            </a>
          </li>
        </ul>
      </nav>
      <div className={classes.foot}>
        {accountId && <Available accountId={accountId} />}
        <PersonMenu />
      </div>
    </div>
  );
}

function Item({ page }: { page: PageEntry }) {
  const { pathname } = useLocation();
  const here = page.exact ? pathname === page.href : `${pathname}/`.startsWith(`${page.href}/`);
  return (
    <li ref={here ? scrollIntoView : undefined}>
      <Link href={page.href} className={classes.item} {...(here && { 'aria-current': 'page' as const })}>
        <page.icon size={17} stroke={1.6} aria-hidden />
        {page.name}
      </Link>
    </li>
  );
}

/** Shows the entry of the page on screens that are too low for all entries. */
function scrollIntoView(entry: HTMLLIElement | null): void {
  entry?.scrollIntoView({ block: 'nearest' });
}

function Available({ accountId }: { accountId: string }) {
  const balance = useRead('GET /api/v1/balance', { params: { account_id: accountId } });
  return (
    <Link href={paths.balance(accountId)} className={classes.available}>
      <span className="soft tiny">Available</span>
      {balance.data ? <Money amount={balance.data.available} /> : <span className="soft">…</span>}
    </Link>
  );
}
