import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { jobPages, ownJobPages } from './api/job-calls.ts';
import { ProblemError } from './api/problem.ts';
import { queries, read } from './api/queries.ts';
import { loadPart } from './api/reachable.ts';
import { rememberedAccount } from './api/remembered-account.ts';
import { jobQueryOf } from './features/jobs/job-query.ts';
import { BrokenPage, CrashPage } from './pages/crash.tsx';
import { NotFoundPage } from './pages/not-found.tsx';
import { ownPath, paths } from './paths.ts';
import { Shell } from './shell/shell.tsx';

/** URL values stay text: an id such as `1e5` must not become a number. */
type Search = Record<string, string | undefined>;
const validateSearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

/** Leads people without a session to the sign-in page, and then back here. */
async function requireSession({ location }: { location: { href: string } }) {
  try {
    return await queries.ensureQueryData({ ...read('GET /panel/session', {}), revalidateIfStale: true });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status !== 401) throw error;
    const wanted = ownPath(location.href);
    throw redirect({ href: paths.signIn(wanted === '/' ? {} : { return_to: wanted }) });
  }
}

// ── without a session ───────────────────────────────────────────────────────────────────────────────────────────────
const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch,
  component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignInPage'),
});
const signUp = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./pages/sign-up.tsx'), 'SignUpPage'),
});
const signUpAccount = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up/account',
  component: lazyRouteComponent(() => import('./pages/sign-up-account.tsx'), 'SignUpAccountPage'),
});
const forgottenPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgotten-password',
  component: lazyRouteComponent(() => import('./pages/forgotten-password.tsx'), 'ForgottenPasswordPage'),
});
const open = createRoute({
  getParentRoute: () => rootRoute,
  path: '/open',
  component: lazyRouteComponent(() => import('./pages/open-link.tsx'), 'OpenLinkPage'),
});

// ── signed in ────────────────────────────────────────────────────────────────────────────────────────────────────
const signedIn = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  component: Shell,
  loader: requireSession,
});

const authorize = createRoute({
  getParentRoute: () => rootRoute,
  path: '/authorize',
  validateSearch,
  loader: requireSession,
  component: lazyRouteComponent(() => import('./pages/authorize.tsx'), 'AuthorizePage'),
});

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/no-account.tsx'), 'NoAccountPage'),
  loader: async () => {
    const session = await queries.ensureQueryData(read('GET /panel/session', {}));
    const account = rememberedAccount(session);
    if (!account) return;
    const first = account.rights.includes('see_pictures') ? paths.home : paths.balance;
    throw redirect({ href: first(account.account_id), replace: true });
  },
});

/** `ahead` requests the page's first data while its script loads. If the request fails, the page retries. */
const page = (
  path: string,
  load: () => Promise<Record<string, unknown>>,
  name: string,
  ahead?: (accountId: string, search: Search) => unknown,
) =>
  createRoute({
    getParentRoute: () => signedIn,
    path,
    validateSearch,
    component: lazyRouteComponent(
      () => loadPart(load as () => Promise<Record<string, () => React.ReactNode>>),
      name,
    ), // pages take no props
    errorComponent: BrokenPage,
    loader: ({ params, location }) => {
      const { account_id: accountId = '' } = params as Record<string, string | undefined>; // the path is only a text here
      ahead?.(accountId, location.search as Search); // see validateSearch
    },
  });

const overviewAhead = (account_id: string) =>
  queries.prefetchQuery(read('GET /panel/accounts/:account_id/overview', { params: { account_id } }));
const modelsAhead = (account_id: string) =>
  queries.prefetchQuery(read('GET /api/v1/models', { params: { account_id } }));
const makeAhead = (accountId: string) => {
  modelsAhead(accountId);
  const { asked, done } = ownJobPages(accountId);
  queries.prefetchInfiniteQuery(asked);
  queries.prefetchInfiniteQuery(done);
};
const jobsAhead = (accountId: string, search: Search) =>
  queries.prefetchInfiniteQuery(jobPages(accountId, jobQueryOf(search)));

const pages = [
  page('/profile', () => import('./pages/profile.tsx'), 'ProfilePage'),
  page('/accounts/$account_id', () => import('./pages/home.tsx'), 'HomePage', overviewAhead),
  page('/accounts/$account_id/make', () => import('./pages/make.tsx'), 'MakePage', makeAhead),
  page('/accounts/$account_id/jobs', () => import('./pages/jobs/jobs.tsx'), 'JobsPage', jobsAhead),
  page('/accounts/$account_id/jobs/$job_id', () => import('./pages/jobs/job.tsx'), 'JobPage'),
  page('/accounts/$account_id/jobs/$job_id/edit', () => import('./pages/jobs/edit.tsx'), 'EditPage'),
  page('/accounts/$account_id/batches', () => import('./pages/jobs/batches.tsx'), 'BatchesPage'),
  page(
    '/accounts/$account_id/batches/new',
    () => import('./pages/jobs/new-batch.tsx'),
    'NewBatchPage',
    modelsAhead,
  ),
  page('/accounts/$account_id/albums', () => import('./pages/albums/albums.tsx'), 'AlbumsPage'),
  page('/accounts/$account_id/albums/$album_id', () => import('./pages/albums/album.tsx'), 'AlbumPage'),
  page('/accounts/$account_id/keys', () => import('./pages/keys.tsx'), 'KeysPage'),
  page('/accounts/$account_id/keys/$key_id', () => import('./pages/key.tsx'), 'KeyPage'),
  page('/accounts/$account_id/balance', () => import('./pages/balance.tsx'), 'BalancePage'),
  page('/accounts/$account_id/balance/$month', () => import('./pages/statement.tsx'), 'StatementPage'),
  page('/accounts/$account_id/account', () => import('./pages/account/account.tsx'), 'OwnAccountPage'),
  page('/accounts/$account_id/usage', () => import('./pages/usage.tsx'), 'UsagePage'),
  page('/accounts/$account_id/webhooks', () => import('./pages/webhooks.tsx'), 'WebhooksPage'),
  page(
    '/accounts/$account_id/webhooks/endpoints/$endpoint_id',
    () => import('./pages/endpoint.tsx'),
    'EndpointPage',
  ),
  page('/accounts/$account_id/webhooks/$delivery_id', () => import('./pages/delivery.tsx'), 'DeliveryPage'),
  page('/operator/accounts', () => import('./pages/operator/accounts.tsx'), 'AccountsPage'),
  page('/operator/accounts/$account_id', () => import('./pages/operator/account.tsx'), 'AccountPage'),
  page(
    '/operator/accounts/$account_id/data',
    () => import('./pages/operator/account-data.tsx'),
    'AccountDataPage',
  ),
  page('/operator/margins', () => import('./pages/operator/margins.tsx'), 'MarginsPage'),
  page('/operator/rates', () => import('./pages/operator/rates.tsx'), 'RatesPage'),
  page('/operator/owed', () => import('./pages/operator/owed.tsx'), 'OwedPage'),
  page(
    '/operator/statements/$month',
    () => import('./pages/operator/statement.tsx'),
    'InstallationStatementPage',
  ),
  page('/operator/brand', () => import('./pages/operator/brand.tsx'), 'BrandPage'),
  page('/operator/prices', () => import('./pages/operator/prices.tsx'), 'PricesPage'),
  page('/operator/payments', () => import('./pages/operator/payments.tsx'), 'PaymentsPage'),
  page('/operator/vouchers', () => import('./pages/operator/vouchers.tsx'), 'VouchersPage'),
  page('/operator/bill-check', () => import('./pages/operator/bill-check.tsx'), 'BillCheckPage'),
  page('/operator/models', () => import('./pages/operator/models.tsx'), 'ModelsPage'),
  page('/operator/connections', () => import('./pages/operator/connections.tsx'), 'ConnectionsPage'),
  page('/operator/connect', () => import('./pages/operator/connect.tsx'), 'ConnectPage'),
  page('/operator/workflow', () => import('./pages/operator/workflow.tsx'), 'WorkflowPage'),
  page('/operator/models/$model_id', () => import('./pages/operator/model.tsx'), 'ModelPage'),
  page('/operator/system', () => import('./pages/operator/system.tsx'), 'SystemPage'),
  page('/operator/reports', () => import('./pages/operator/reports.tsx'), 'ReportsPage'),
  page('/operator/audit', () => import('./pages/operator/audit.tsx'), 'AuditPage'),
];

/** The former URL of *Make*. Notes and bookmarks still contain it, with prompts and models in its query. */
const formerMake = createRoute({
  getParentRoute: () => rootRoute,
  path: '/accounts/$account_id/playground',
  validateSearch,
  beforeLoad({ params, search }) {
    throw redirect({ href: paths.make(params.account_id, search), replace: true });
  },
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    ...[signIn, signUp, signUpAccount, forgottenPassword, open, authorize, formerMake],
    signedIn.addChildren([start, ...pages]),
  ]),
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
  defaultErrorComponent: CrashPage,
  defaultPreload: 'intent',
  defaultPendingMinMs: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
