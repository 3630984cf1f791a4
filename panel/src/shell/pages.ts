import type { Right } from '@darkroom/server/panel-contract';
import {
  type Icon,
  IconAlbum,
  IconBox,
  IconChartBar as IconChart,
  IconClipboardList as IconClipboard,
  IconCoins,
  IconCreditCard,
  IconFlag,
  IconHome,
  IconKey,
  IconPalette,
  IconPhoto,
  IconPlug,
  IconServer,
  IconSettings,
  IconSparkles,
  IconTag,
  IconTicket,
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
  /** What a person must be allowed to see it; undefined for everybody. */
  right?: Right;
}

/** The pages of an account, as the navigation and the palette list them. */
export function accountPages(accountId: string): PageEntry[] {
  return [
    { name: 'Home', href: paths.home(accountId), right: 'see_pictures', icon: IconHome, exact: true },
    { name: 'Make', href: paths.make(accountId), right: 'make_pictures', icon: IconSparkles },
    { name: 'Pictures', href: paths.jobs(accountId), right: 'see_pictures', icon: IconPhoto },
    { name: 'Albums', href: paths.albums(accountId), right: 'see_pictures', icon: IconAlbum },
    { name: 'API keys', href: paths.keys(accountId), right: 'see_setup', icon: IconKey },
    { name: 'Balance', href: paths.balance(accountId), right: 'see_money', icon: IconWallet },
    { name: 'Usage', href: paths.usage(accountId), right: 'see_money', icon: IconChart },
    { name: 'Webhooks', href: paths.webhooks(accountId), right: 'see_setup', icon: IconWebhook },
    { name: 'Account', href: paths.account(accountId), right: 'see_money', icon: IconSettings },
  ];
}

/** The pages of operators. */
export const operatorPages: readonly PageEntry[] = [
  { name: 'Accounts', href: paths.operatorAccounts(), icon: IconUsers },
  { name: 'Models', href: paths.models(), icon: IconBox },
  { name: 'Connections', href: paths.connections(), icon: IconPlug },
  { name: 'Margins', href: paths.margins(), icon: IconCoins },
  { name: 'Prices', href: paths.prices(), icon: IconTag },
  { name: 'Payments', href: paths.payments(), icon: IconCreditCard },
  { name: 'Vouchers', href: paths.vouchers(), icon: IconTicket },
  { name: 'Brand', href: paths.brand(), icon: IconPalette },
  { name: 'System', href: paths.system(), icon: IconServer },
  { name: 'Reports', href: paths.reports(), icon: IconFlag },
  { name: 'Audit log', href: paths.audit(), icon: IconClipboard },
];
