import {
  type Icon,
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
import { paths } from '../paths.ts';

export interface PageEntry {
  name: string;
  href: string;
  icon: Icon;
  /** Its address begins like those of the other pages. */
  exact?: boolean;
}

/** The pages of an account, as the navigation and the palette list them. */
export function accountPages(accountId: string): PageEntry[] {
  return [
    { name: 'Home', href: paths.home(accountId), icon: IconHome, exact: true },
    { name: 'Playground', href: paths.playground(accountId), icon: IconSparkles },
    { name: 'Jobs', href: paths.jobs(accountId), icon: IconPhoto },
    { name: 'API keys', href: paths.keys(accountId), icon: IconKey },
    { name: 'Balance', href: paths.balance(accountId), icon: IconWallet },
    { name: 'Usage', href: paths.usage(accountId), icon: IconChart },
    { name: 'Webhooks', href: paths.webhooks(accountId), icon: IconWebhook },
  ];
}

/** The pages of operators. */
export const operatorPages: readonly PageEntry[] = [
  { name: 'Accounts', href: paths.operatorAccounts(), icon: IconUsers },
  { name: 'Models', href: paths.models(), icon: IconBox },
  { name: 'Connections', href: paths.connections(), icon: IconPlug },
  { name: 'System', href: paths.system(), icon: IconServer },
  { name: 'Audit log', href: paths.audit(), icon: IconClipboard },
];
