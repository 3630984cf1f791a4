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
import { t } from '../languages/words.ts';
import { paths } from '../paths.ts';

export interface PageEntry {
  name: string;
  href: string;
  icon: Icon;
  /** True when other pages' URLs begin with this page's URL. */
  exact?: boolean;
  right?: Right;
}

export function accountPages(accountId: string): PageEntry[] {
  return [
    { name: t('Home'), href: paths.home(accountId), right: 'see_pictures', icon: IconHome, exact: true },
    { name: t('Make'), href: paths.make(accountId), right: 'make_pictures', icon: IconSparkles },
    { name: t('Pictures'), href: paths.jobs(accountId), right: 'see_pictures', icon: IconPhoto },
    { name: t('Albums'), href: paths.albums(accountId), right: 'see_pictures', icon: IconAlbum },
    { name: t('API keys'), href: paths.keys(accountId), right: 'see_setup', icon: IconKey },
    { name: t('Balance'), href: paths.balance(accountId), right: 'see_money', icon: IconWallet },
    { name: t('Usage'), href: paths.usage(accountId), right: 'see_money', icon: IconChart },
    { name: t('Webhooks'), href: paths.webhooks(accountId), right: 'see_setup', icon: IconWebhook },
    { name: t('Account'), href: paths.account(accountId), right: 'see_money', icon: IconSettings },
  ];
}

export const operatorPages: readonly PageEntry[] = [
  { name: t('Accounts'), href: paths.operatorAccounts(), icon: IconUsers },
  { name: t('Models'), href: paths.models(), icon: IconBox },
  { name: t('Connections'), href: paths.connections(), icon: IconPlug },
  { name: t('Margins'), href: paths.margins(), icon: IconCoins },
  { name: t('Prices'), href: paths.prices(), icon: IconTag },
  { name: t('Payments'), href: paths.payments(), icon: IconCreditCard },
  { name: t('Vouchers'), href: paths.vouchers(), icon: IconTicket },
  { name: t('Brand'), href: paths.brand(), icon: IconPalette },
  { name: t('System'), href: paths.system(), icon: IconServer },
  { name: t('Reports'), href: paths.reports(), icon: IconFlag },
  { name: t('Audit log'), href: paths.audit(), icon: IconClipboard },
];
