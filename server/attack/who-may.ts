import { type CallerName, callerNames, onOtherPages } from './callers.ts';

/** Who may make a call: written by hand, to check the tables and the server. Undefined if no row matches. */
export function whoMay({
  method,
  url,
}: {
  method: string;
  url: string;
}): ReadonlySet<CallerName> | undefined {
  const row = rows.find(([methods, urls]) => methods.test(method) && urls.test(url));
  return row && new Set(row[2]);
}

const reads = /^(GET|HEAD)$/;
const changes = /^(POST|PUT|PATCH|DELETE)$/;
const any = /^/;

/** Two keys of the account, and a key of another account, which finds only the other account's things. */
const keys: CallerName[] = ['key', 'other key', 'key of nb'];
/** Callers that may make images with a model other than `nb`, to which `key of nb` is limited. */
const makers: CallerName[] = ['key', 'other key', 'token'];

const owner: CallerName[] = ['owner', 'operator admin'];
/** Owners and `who` may read. Pages of other sites may send a cookie along, but cannot read the answer. */
const looks = (...who: CallerName[]): CallerName[] => [
  ...owner,
  ...(['owner without origin', 'owner on another page'] as const),
  ...who,
];
const seesMoney = looks('developer', 'billing', 'viewer', 'operator support');
const readers = ['admin read', 'operator admin', 'operator support'] as const;
const everySession = looks('developer', 'billing', 'viewer', 'other owner', 'operator support');
const onOurPages = (who: readonly CallerName[]) => who.filter((name) => !onOtherPages.includes(name));

const ofAccount = (rest: string) => new RegExp(`^/panel/accounts/:account_id/${rest}`);

/** The first row that matches a call applies. */
const rows: readonly (readonly [methods: RegExp, url: RegExp, who: readonly CallerName[]])[] = [
  [reads, /^\/(api|admin)\/v1\/openapi\.json$/, callerNames],
  [/^POST$/, /^\/api\/v1\/(:model\/)?(text|url)-generations$/, [...makers, ...owner, 'developer']],
  [/^POST$/, /^\/api\/v1\/uploads$/, [...keys, 'token', ...owner, 'developer']],
  [reads, /^\/api\/v1\/uploads/, looks('developer', 'viewer', ...keys)],
  [changes, /^\/api\/v1\/uploads/, [...owner, 'developer', ...keys]],
  [reads, /^\/api\/v1\/client-tokens/, looks('developer', 'viewer', 'operator support', ...keys)],
  [/^DELETE$/, /^\/api\/v1\/client-tokens/, [...owner, 'developer', ...keys]],
  [reads, /^\/api\/v1\/jobs\/:job_id$/, [...keys, 'token', ...looks('developer', 'viewer')]],
  // Only people with a session manage access. Their requests also need `Darkroom-Panel` and `Darkroom-Account`.
  [reads, /^\/api\/v1\/keys/, looks('developer', 'viewer', 'operator support')],
  [changes, /^\/api\/v1\/keys/, [...owner, 'developer']],
  [reads, /^\/api\/v1\/(alerts|retention|limits)$/, seesMoney],
  [
    reads,
    /^\/api\/v1\/((balance|entries|usage|payments(\/:payment_id)?|statements(\/:month(\/csv)?)?)|(entries|usage)\.csv)$/,
    [...keys, ...seesMoney],
  ],
  [reads, /^\/api\/v1\/top-up$/, seesMoney],
  [changes, /^\/api\/v1\/top-up/, owner],
  [/^POST$/, /^\/api\/v1\/(vouchers\/redeem|payments)$/, [...owner, 'developer', 'billing', ...keys]],
  [changes, /^\/api\/v1\/(retention|limits)$/, ['operator admin']],
  // People: only owners invite, change and remove them.
  [reads, /^\/api\/v1\/(members|invitations)/, looks('operator support')],
  [changes, /^\/api\/v1\/(members|invitations)/, owner],
  [changes, /^\/api\/v1\/alerts$/, [...owner, 'developer', 'billing']],
  // Endpoints are for keys and people, but whole secrets only for people.
  [reads, /^\/api\/v1\/deliveries\/:delivery_id$/, [...keys, ...looks('developer', 'viewer')]],
  [
    reads,
    /^\/api\/v1\/(webhooks|deliveries)(\/|$)/,
    [...keys, ...looks('developer', 'viewer', 'operator support')],
  ],
  [changes, /^\/api\/v1\/webhooks\/:endpoint_id\/reveal$/, [...owner, 'developer']],
  [changes, /^\/api\/v1\/(webhooks|deliveries)(\/|$)/, [...keys, ...owner, 'developer']],
  [
    reads,
    /^\/api\/v1\/(batches|jobs$|jobs\.csv$|jobs\/images\.zip$|jobs\/:job_id\/image$)/,
    looks('developer', 'viewer', ...keys),
  ],
  [reads, /^\/api\/v1\/(jobs\/:job_id\/)?tags$/, looks('developer', 'viewer', ...keys)],
  [/^POST$/, /^\/api\/v1\/jobs\/(tags|delete-images)$/, [...owner, 'developer']],
  [changes, /^\/api\/v1\/jobs\/:job_id\/(tags|star|cancel|image|again)/, [...owner, 'developer', ...keys]],
  [/^POST$/, /^\/api\/v1\/batches(\/:batch_id\/cancel)?$/, [...owner, 'developer', ...keys]],
  [reads, /^\/api\/v1\/(shares|albums)/, looks('developer', 'viewer')],
  [changes, /^\/api\/v1\/(shares|albums)/, [...owner, 'developer']],
  [
    reads,
    /^\/api\/v1\/models(\/:model_id)?$/,
    [...keys, ...looks('developer', 'viewer', 'operator support')],
  ],
  [any, /^\/api\/v1\//, keys],

  // Each scope is for its own calls, and `read` for all reads. Support operators only read, and see no images.
  [
    reads,
    /^\/admin\/v1\/(accounts\/:account\/(balance|entries|usage|payments|statements)|margins|owed|payments|statements)/,
    ['admin money', ...readers],
  ],
  [changes, /^\/admin\/v1\/accounts\/:account\/(credits|debits)$/, ['admin money', 'operator admin']],
  [/^POST$/, /^\/admin\/v1\/costs\/check$/, ['admin money', 'operator admin']],
  [/^PATCH$/, /^\/admin\/v1\/accounts\/:account$/, ['admin money', 'operator admin']],
  [reads, /^\/admin\/v1\/(vouchers|price-groups|rates)/, ['admin money', ...readers]],
  [changes, /^\/admin\/v1\/(vouchers|price-groups|rates)/, ['admin money', 'operator admin']],
  [reads, /^\/admin\/v1\/(models|connections|routes)/, ['admin models', ...readers]],
  [changes, /^\/admin\/v1\/(models|connections|routes)/, ['admin models', 'operator admin']],
  [reads, /^\/admin\/v1\/(pauses|status|server|audit|brand|emails)/, ['admin system', ...readers]],
  [changes, /^\/admin\/v1\/(pauses|self-check|brand)/, ['admin system', 'operator admin']],
  [
    reads,
    /^\/admin\/v1\/(jobs|refused-prompts|reports|accounts\/:account\/(batches|tags|deliveries\/:delivery_id$))/,
    ['admin accounts', 'admin read', 'operator admin'],
  ],
  [reads, /^\/admin\/v1\/(accounts|people|keys)/, ['admin accounts', ...readers]],
  [changes, /^\/admin\/v1\/(accounts|people|keys|jobs|reports)/, ['admin accounts', 'operator admin']],

  [reads, /^\/panel\/sign-in$/, callerNames],
  [changes, /^\/panel\/(sign-in|sign-up|links)(\/|$)/, onOurPages(callerNames)],
  [reads, /^\/panel\/session/, everySession],
  [changes, /^\/panel\/(session|sign-out|grants)/, onOurPages(everySession)],
  // Images and prompts are only for the account's people.
  [reads, ofAccount('(overview|jobs|batches)'), looks('developer', 'viewer')],
  [reads, ofAccount('keys'), looks('developer', 'viewer', 'operator support')],
  [changes, ofAccount('input-preview'), [...owner, 'developer']],
  [changes, ofAccount('grants'), [...owner, 'developer']],
  [reads, /^\/panel\/operator\//, ['operator admin', 'operator support']],
  [changes, /^\/panel\/operator\//, ['operator admin']],

  [/^POST$/, /^\/v1\/images\/(generations|edits)$/, [...keys, 'token']],
  [reads, /^\/v1\/images\/tasks\/:task_id$/, [...keys, 'token']],
  [any, /^\/v1\/(files|batches)(\/|$)/, keys],
  [any, /^\/(v1|v1beta)\/interactions(\/|$)/, keys],
  [any, /^\/(v1|v1beta)\/models/, keys],
  [any, /^\/mcp$/, keys],
  // Open to any caller with a code, a token or a signature.
  [any, /^\/(oauth|\.well-known|panel\/auth\/callback|images|shared|unsubscribe|payments)\//, callerNames],
  [reads, /^\/jobs\/:job_id\/image$/, looks(...keys, 'token', 'developer', 'viewer')],
  [
    reads,
    /^\/(livez|readyz|metrics|status(\.json|\.atom)?|brand|docs|llms(-full)?\.txt|[^/]+\.tgz)(\/|$)/,
    callerNames,
  ],
];
