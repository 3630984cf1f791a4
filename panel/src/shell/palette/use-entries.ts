import { useMantineColorScheme } from '@mantine/core';
import {
  type Icon,
  IconBook,
  IconKey,
  IconLogout,
  IconMoon,
  IconPhoto,
  IconPlug,
  IconSparkles,
  IconSun,
  IconArrowsExchange as IconSwitch,
  IconDeviceDesktop as IconSystem,
  IconUser,
} from '@tabler/icons-react';
import { promptLength } from '../../api/job-calls.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { jobQueryOf } from '../../features/jobs/job-query.ts';
import { shape, shortPrompt } from '../../features/jobs/job-words.ts';
import { t } from '../../languages/words.ts';
import { forAccount, paths } from '../../paths.ts';
import { useGo } from '../../ui/link.tsx';
import { accountPages, operatorPages } from '../pages.ts';
import type { Entry } from './find-entries.ts';
import { readRecent } from './recent.ts';

export function useEntries(accountId: string | undefined): Entry[] {
  const { accounts, operator } = useSession();
  const go = useGo();
  const actions = useActions(accountId);
  const pages = [...(accountId ? accountPages(accountId) : []), ...(operator ? operatorPages : [])];
  const others = accounts.filter(({ account_id }) => account_id !== accountId);
  return [
    ...pages.map(({ name, href, icon }) => page(name, icon, '', () => go(href))),
    page(t('Profile and security'), IconUser, t('password email authenticator sessions'), () =>
      go(paths.profile()),
    ),
    page(t('Documentation'), IconBook, t('docs api reference'), () => location.assign(paths.docs())),
    ...actions,
    ...others.map(
      (account): Entry => ({
        id: `account ${account.account_id}`,
        group: t('Accounts'),
        name: t('Switch to {name}', { name: account.name }),
        words: `${account.name} account`,
        icon: IconSwitch,
        ...(account.disabled && { hint: t('disabled') }),
        run: () => go(forAccount(location.pathname, account.account_id)),
      }),
    ),
  ];
}

function useActions(accountId: string | undefined): Entry[] {
  const { operator } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSend('POST /panel/sign-out');
  const go = useGo();
  const leave = () => signOut.mutate({}, { onSettled: () => go(paths.signIn()) });
  const ofAccount = accountId && [
    action(t('Make a new image'), IconSparkles, t('image create generate try'), () =>
      go(paths.make(accountId)),
    ),
    action(t('Create an API key'), IconKey, 'new', () => go(paths.keys(accountId, { new: 'yes' }))),
  ];
  return [
    ...(ofAccount || []),
    ...(operator
      ? [action(t('Connect a provider'), IconPlug, t('add new connection'), () => go(paths.connect()))]
      : []),
    ...themes.map(({ name, icon, scheme }) =>
      action(name, icon, t('theme appearance mode colours'), () => setColorScheme(scheme)),
    ),
    action(t('Sign out'), IconLogout, t('log leave'), leave),
  ];
}

const themes = [
  { name: t('Light theme'), icon: IconSun, scheme: 'light' },
  { name: t('Dark theme'), icon: IconMoon, scheme: 'dark' },
  { name: t('System theme'), icon: IconSystem, scheme: 'auto' },
] as const;

function page(name: string, icon: Icon, words: string, run: () => void): Entry {
  return { id: `page ${name}`, group: t('Pages'), name, icon, words, run };
}

function action(name: string, icon: Icon, words: string, run: () => void): Entry {
  return { id: `action ${name}`, group: t('Actions'), name, icon, words, run };
}

/** The maximum number of jobs. It is low, to leave space for other entries. */
const jobsShown = '6';
/** The fewest letters to search for: shorter texts occur in most prompts. */
const lettersOfJobs = 2;

/** Finds jobs by words of their prompts or the beginning of their id, and adds a link to all that match. */
export function useJobEntries(accountId: string | undefined, text: string): Entry[] {
  const go = useGo();
  const wanted = text.trim();
  const isAsked = accountId !== undefined && wanted.length >= lettersOfJobs;
  const jobs = useRead(
    'GET /api/v1/jobs',
    {
      params: { account_id: accountId ?? '' },
      query: { ...jobQueryOf({ q: wanted }), limit: jobsShown, prompt_length: promptLength },
    },
    { enabled: isAsked, keep: true },
  );
  if (!isAsked) return [];
  const rows = jobs.data?.data ?? [];
  const found = rows.map((job) => ({
    ...jobEntry(accountId, job.job_id, shortPrompt(job.prompt) || t('Deleted'), go),
    hint: shape(job),
    job,
  }));
  if (found.length < Number(jobsShown)) return found;
  return [
    ...found,
    {
      id: 'jobs',
      group: t('Images'),
      name: t('All images with “{wanted}”', { wanted }),
      icon: IconPhoto,
      run: () => go(paths.jobs(accountId, { q: wanted })),
    },
  ];
}

export function useRecentFirst(entries: readonly Entry[], accountId: string | undefined): Entry[] {
  const go = useGo();
  const ofAccount = `job ${accountId} `;
  const recent = readRecent().flatMap(({ id, name }) => {
    const known = entries.find((entry) => entry.id === id);
    if (known || !accountId || !id.startsWith(ofAccount)) return known ?? [];
    return jobEntry(accountId, id.slice(ofAccount.length), name, go);
  });
  const rest = entries.filter((entry) => !recent.includes(entry));
  return [...recent.map((entry) => ({ ...entry, group: t('Recent') })), ...rest];
}

function jobEntry(accountId: string, jobId: string, name: string, go: (href: string) => void): Entry {
  const run = () => go(paths.job(accountId, jobId));
  return { id: `job ${accountId} ${jobId}`, group: t('Images'), name, icon: IconPhoto, run };
}
