/** The path of each account page contains the account, so that a link opens the same page for everyone. */
export const paths = {
  root: () => '/',
  signIn: (query: { return_to?: string; error?: string } = {}) => withQuery('/sign-in', query),
  signUp: () => '/sign-up',
  forgottenPassword: () => '/forgotten-password',
  profile: () => '/profile',

  home: (account: string) => `/accounts/${account}`,
  make: (account: string, query: MakeQuery = {}) => withQuery(`/accounts/${account}/make`, query),
  jobs: (account: string, query: Record<string, string | undefined> = {}) =>
    withQuery(`/accounts/${account}/jobs`, query),
  job: (account: string, job: string) => `/accounts/${account}/jobs/${job}`,
  edit: (account: string, job: string) => `/accounts/${account}/jobs/${job}/edit`,
  batches: (account: string) => `/accounts/${account}/batches`,
  newBatch: (account: string) => `/accounts/${account}/batches/new`,
  /** Opens an image above the contact sheet, over the whole page. */
  image: (account: string, job: string) => withQuery(`/accounts/${account}/jobs`, { show: job }),
  albums: (account: string) => `/accounts/${account}/albums`,
  album: (account: string, album: string) => `/accounts/${account}/albums/${album}`,
  keys: (account: string, query: { new?: string } = {}) => withQuery(`/accounts/${account}/keys`, query),
  key: (account: string, key: string) => `/accounts/${account}/keys/${key}`,
  balance: (account: string) => `/accounts/${account}/balance`,
  statement: (account: string, month: string) => `/accounts/${account}/balance/${month}`,
  account: (account: string) => `/accounts/${account}/account`,
  usage: (account: string) => `/accounts/${account}/usage`,
  webhooks: (account: string, query: { status?: string } = {}) =>
    withQuery(`/accounts/${account}/webhooks`, query),
  endpoint: (account: string, endpoint: string) => `/accounts/${account}/webhooks/endpoints/${endpoint}`,
  delivery: (account: string, delivery: string) => `/accounts/${account}/webhooks/${delivery}`,

  operatorAccounts: (query: { search?: string } = {}) => withQuery('/operator/accounts', query),
  operatorAccount: (account: string) => `/operator/accounts/${account}`,
  accountData: (account: string) => `/operator/accounts/${account}/data`,
  margins: () => '/operator/margins',
  rates: () => '/operator/rates',
  owed: () => '/operator/owed',
  installationStatement: (month: string) => `/operator/statements/${month}`,
  prices: () => '/operator/prices',
  payments: () => '/operator/payments',
  vouchers: () => '/operator/vouchers',
  brand: () => '/operator/brand',
  billCheck: () => '/operator/bill-check',
  models: () => '/operator/models',
  connections: () => '/operator/connections',
  /** `provider` opens the provider's form; `name` opens the models of the connection with this name. */
  connect: (query: { provider?: string; name?: string } = {}) => withQuery('/operator/connect', query),
  workflow: (connection: string) => withQuery('/operator/workflow', { connection }),
  model: (model: string, query: { view?: string } = {}) => withQuery(`/operator/models/${model}`, query),
  system: () => '/operator/system',
  reports: () => '/operator/reports',
  audit: (query: { account_id?: string; person_id?: string; action?: string; address?: string } = {}) =>
    withQuery('/operator/audit', query),

  docs: () => '/docs',
  firstRequest: () => '/docs/start/api',
  /** The guide's list of the events that Stripe must send. */
  paymentEvents: () => '/docs/guides/payments#set-up',
};

export interface MakeQuery {
  model?: string | undefined;
  ratio?: string | undefined;
  resolution?: string | undefined;
  /** `text` or `image`. */
  mode?: string | undefined;
  job?: string | undefined;
  /** A job whose result becomes an input. */
  input?: string | undefined;
  /** A job whose request fills the form. */
  from?: string | undefined;
  prompt?: string | undefined;
  also?: string | undefined;
}

/** The same page for another account. A page about a single job or key becomes the list of jobs or keys. */
export function forAccount(pathname: string, account: string): string {
  const [, , , section] = pathname.split('/');
  const isPage = pathname.startsWith('/accounts/') && section !== undefined;
  return isPage ? `/accounts/${account}/${section}` : `/accounts/${account}`;
}

/** The path to go to after signing in. Anything outside the panel, and the sign-in page itself, becomes `/`. */
export function ownPath(wanted: string | undefined): string {
  if (!wanted?.startsWith('/')) return '/';
  try {
    const url = new URL(wanted, location.origin);
    // `/.//elsewhere` passes the origin check, but its resolved path `//elsewhere` would name another host.
    const isOurs =
      url.origin === location.origin && !url.pathname.startsWith('//') && url.pathname !== paths.signIn();
    return isOurs ? url.pathname + url.search : '/';
  } catch {
    return '/';
  }
}

export function withQuery(path: string, query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}
