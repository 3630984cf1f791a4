import {
  type Icon,
  IconBook,
  IconBox,
  IconChartBar as IconChart,
  IconClipboardList as IconClipboard,
  IconHome,
  IconKey,
  IconPhoto,
  IconPlug,
  IconServer,
  IconSparkles,
  IconUsers,
  IconWallet,
  IconWebhook,
} from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { paths } from '../paths.ts';
import { Link } from '../ui/link.tsx';
import { Money } from '../ui/money.tsx';
import { AccountSwitch } from './account-switch.tsx';
import classes from './navigation.module.css';
import { PersonMenu } from './person-menu.tsx';

export function Navigation({ accountId }: { accountId: string | undefined }) {
  const session = useSession();
  return (
    <div className={classes.navigation}>
      {accountId && <AccountSwitch accountId={accountId} />}
      <nav aria-label="Pages" className={classes.groups}>
        {accountId && (
          <ul>
            <Item href={paths.home(accountId)} icon={IconHome} exact>
              Home
            </Item>
            <Item href={paths.playground(accountId)} icon={IconSparkles}>
              Playground
            </Item>
            <Item href={paths.jobs(accountId)} icon={IconPhoto}>
              Jobs
            </Item>
            <Item href={paths.keys(accountId)} icon={IconKey}>
              API keys
            </Item>
            <Item href={paths.balance(accountId)} icon={IconWallet}>
              Balance
            </Item>
            <Item href={paths.usage(accountId)} icon={IconChart}>
              Usage
            </Item>
            <Item href={paths.webhooks(accountId)} icon={IconWebhook}>
              Webhooks
            </Item>
          </ul>
        )}
        {session.operator && (
          <div>
            <p className={classes.groupName} id="operator-pages">
              Operator
            </p>
            <ul aria-labelledby="operator-pages">
              <Item href={paths.operatorAccounts()} icon={IconUsers}>
                Accounts
              </Item>
              <Item href={paths.models()} icon={IconBox}>
                Models
              </Item>
              <Item href={paths.connections()} icon={IconPlug}>
                Connections
              </Item>
              <Item href={paths.system()} icon={IconServer}>
                System
              </Item>
              <Item href={paths.audit()} icon={IconClipboard}>
                Audit log
              </Item>
            </ul>
          </div>
        )}
        <ul>
          <li>
            <a href={paths.reference()} className={classes.item}>
              <IconBook size={17} stroke={1.6} aria-hidden />
              API reference
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

function Item(props: { href: string; icon: Icon; exact?: boolean; children: string }) {
  const { pathname } = useLocation();
  const here = props.exact ? pathname === props.href : `${pathname}/`.startsWith(`${props.href}/`);
  return (
    <li>
      <Link href={props.href} className={classes.item} {...(here && { 'aria-current': 'page' as const })}>
        <props.icon size={17} stroke={1.6} aria-hidden />
        {props.children}
      </Link>
    </li>
  );
}

function Available({ accountId }: { accountId: string }) {
  const balance = useRead('GET /panel/accounts/:account_id/balance', { params: { account_id: accountId } });
  return (
    <Link href={paths.balance(accountId)} className={classes.available}>
      <span className="soft tiny">Available</span>
      {balance.data ? <Money amount={balance.data.available} /> : <span className="soft">…</span>}
    </Link>
  );
}
