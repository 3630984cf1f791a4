import type { Session } from '@darkroom/server/panel-contract';
import { Drawer } from '@mantine/core';
import { IconMenu2 as IconMenu, IconSearch } from '@tabler/icons-react';
import { Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useAccountId, useRights } from '../api/account.ts';
import { useLiveJobs } from '../api/live-jobs.ts';
import { ProblemError } from '../api/problem.ts';
import { queries } from '../api/queries.ts';
import { rememberAccount, rememberedAccount } from '../api/remembered-account.ts';
import { useSession } from '../api/session.ts';
import { keepLanguage } from '../languages/language.ts';
import { t } from '../languages/words.ts';
import { ownPath, paths } from '../paths.ts';
import { announce } from '../ui/announce.tsx';
import { brand, Logo } from '../ui/brand/brand.tsx';
import { Link } from '../ui/link.tsx';
import { FinishSetUp } from './finish-set-up.tsx';
import { Navigation } from './navigation.tsx';
import { PaletteButton, usePalette } from './palette/palette-button.tsx';
import classes from './shell.module.css';
import { Unreachable } from './unreachable.tsx';

/** This part is loaded on demand, because few people need its QR codes. */
const NeedsAuthenticator = lazy(async () => ({
  default: (await import('./needs-authenticator.tsx')).NeedsAuthenticator,
}));

export function Shell() {
  const session = useSession();
  return session.must_set_up_authenticator ? (
    <Suspense>
      <NeedsAuthenticator session={session} />
    </Suspense>
  ) : (
    <Frame session={session} />
  );
}

function Frame({ session }: { session: Session }) {
  const account_id = useAccountId();
  const maySeeJobs = useRights().includes('see_pictures');
  const { pathname } = useLocation();
  const [menuOpen, setMenuOpen] = useState(false);
  const inOperator = pathname.startsWith('/operator/');
  const accountId = account_id && !inOperator ? account_id : rememberedAccount(session)?.account_id;
  const main = useRef<HTMLElement>(null);
  const palette = usePalette(accountId);

  useSignInAgain();
  useLiveJobs(inOperator || account_id === '' || !maySeeJobs ? undefined : account_id, announce);
  useFocusOnNewPage(main, pathname, palette.isOpen);
  useEffect(() => {
    // The person may have chosen another language in another browser.
    if (keepLanguage(session.language)) location.reload();
  }, [session.language]);
  useEffect(() => {
    if (account_id && !inOperator) rememberAccount(account_id);
  }, [account_id, inOperator]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu
  useEffect(() => setMenuOpen(false), [pathname]);

  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      {pathname === paths.jobs(account_id ?? '') && (
        <button type="button" className={classes.skip} onClick={toImages}>
          Skip to the images
        </button>
      )}
      <header className={classes.top}>
        <button type="button" className={classes.burger} aria-label="Menu" onClick={() => setMenuOpen(true)}>
          <IconMenu size={20} />
        </button>
        <Brand />
        <button type="button" className={classes.find} aria-label="Search" onClick={palette.open}>
          <IconSearch size={20} />
        </button>
      </header>
      <aside className={classes.side}>
        <Brand />
        <PaletteButton onOpen={palette.open} />
        <Navigation accountId={accountId} />
      </aside>
      {palette.shown}
      <Drawer
        opened={menuOpen}
        onClose={() => setMenuOpen(false)}
        size={280}
        title={<Brand />}
        closeButtonProps={{ 'aria-label': t('Close menu') }}
      >
        <Navigation accountId={accountId} />
      </Drawer>
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        <Unreachable />
        <FinishSetUp session={session} />
        <Suspense>
          {/* The key discards the page's state when the account changes. */}
          <Outlet key={account_id} />
        </Suspense>
      </main>
    </div>
  );
}

/** Moves the focus past the navigation to the images. With Tab alone, this takes about thirty key presses. */
function toImages(): void {
  document.querySelector<HTMLElement>('a[data-index][tabindex="0"]')?.focus();
}

function Brand() {
  return (
    <Link href={paths.root()} className={classes.brand}>
      <Logo height={22} />
      {brand.name}
    </Link>
  );
}

/** Leads to the sign-in page, and back here afterwards, when any call finds that the session has ended. */
function useSignInAgain(): void {
  const router = useRouter();
  useEffect(() => {
    const onEvent = ({ type, query }: { type: string; query?: { state: { error: unknown } } }) => {
      const error = type === 'updated' ? query?.state.error : undefined;
      if (!(error instanceof ProblemError) || error.problem.code !== 'session_missing') return;
      // Several calls can fail at the same time. The first has already led to the sign-in page.
      if (location.pathname === paths.signIn()) return;
      const here = ownPath(location.pathname + location.search);
      router.history.push(paths.signIn({ return_to: here }));
    };
    return queries.getQueryCache().subscribe(onEvent);
  }, [router]);
}

/** Moves the focus of keyboard and screen reader to the new page, unless the user is already typing. */
function useFocusOnNewPage(
  main: React.RefObject<HTMLElement | null>,
  pathname: string,
  isTyping: boolean,
): void {
  const before = useRef(pathname);
  // A layout effect, because a later one would take the focus from a field of the new page.
  useLayoutEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    if (!isTyping) main.current?.focus({ preventScroll: true });
  }, [main, pathname, isTyping]);
}
