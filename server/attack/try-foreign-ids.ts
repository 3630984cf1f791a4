import type { Caller, CallerName } from './callers.ts';
import type { Call, Family } from './calls.ts';
import { compareDumps, takeDump } from './dump.ts';
import { addressOf, bodyFor, idsIn } from './fill.ts';
import type { Ids } from './furnish.ts';
import type { Report } from './report.ts';
import { type Answer, type Request, send } from './send.ts';
import type { Target } from './target.ts';
import { whoMay } from './who-may.ts';

const ownIds = [
  ...['job_id', 'batch_id', 'upload_id', 'token_id', 'delivery_id', 'endpoint_id', 'key_id'],
  ...['person_id', 'invitation_id', 'token'],
];

/** Callers that name things of the account `mine` in calls about the account `others`. */
const tryers: Partial<Record<Family, readonly CallerName[]>> = {
  api: ['other key'],
  panel: ['other owner', 'operator admin'],
  admin: ['admin accounts'],
};

/** Checks that ids of another account, in path, query or body, are answered like unknown ids and change nothing. */
export async function tryForeignIds(target: Target, report: Report): Promise<void> {
  const { mine } = target.cast;
  const before = await takeDump(target.database);
  for (const call of target.calls) {
    const { path, rest } = idsIn(call, ownIds);
    if (!isOfAccount(call)) continue;
    if (path.length + rest.length === 0) continue;
    for (const name of tryers[call.family] ?? []) {
      const caller = target.cast.callers.get(name);
      if (caller && (name === 'other owner' || whoMay(call)?.has(name)))
        await compare(target, report, call, caller);
    }
  }
  const changed = compareDumps(before, await takeDump(target.database));
  const theirs = [mine.accountId, ...ownIds.map((name) => mine.ids[name] ?? '')].filter(
    (id) => id.length > 8,
  );
  for (const row of changed.filter((one) => theirs.some((id) => one.includes(id))))
    report.wrong(`somebody of another account changed ${row}`);
}

/** Whether a call is limited to one account. Calls for the whole installation find any account's things. */
function isOfAccount({ family, url }: Call): boolean {
  return family === 'api' || /^\/(admin\/v1|panel)\/accounts\/:account(_id)?\//.test(url);
}

async function compare(target: Target, report: Report, call: Call, caller: Caller): Promise<void> {
  const { mine, others } = target.cast;
  const own = { account_id: others.accountId, account: others.ids.account ?? '' };
  const foreign: Ids = { ...mine.ids, ...own };
  const unknown = {
    ...foreign,
    ...Object.fromEntries(ownIds.map((name) => [name, nothingLike(foreign[name])])),
  };
  const [named, unnamed] = [requestOf(call, caller, foreign), requestOf(call, caller, unknown)];
  if (named.path === unnamed.path && named.body === unnamed.body) return;
  report.tried(call, 'foreign ids');
  const [told, wanted] = [await send(target.url, named), await send(target.url, unnamed)];
  const [one, other] = [withoutIds(told, foreign), withoutIds(wanted, unknown)];
  if (one !== other)
    report.wrong(`tells what another account has: ${one}, and of nothing ${other}`, call, caller.name);
  const isNamed = idsIn(call, ownIds).path.length > 0;
  if (isNamed && told.status !== 404)
    report.wrong(
      `answered ${told.status} to an id of another account: ${told.body.slice(0, 200)}`,
      call,
      caller.name,
    );
}

function requestOf(call: Call, { headers }: Caller, ids: Ids): Request {
  const body = bodyFor(call, ids, ownIds);
  return {
    method: call.method,
    path: addressOf(call, ids, ownIds),
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  };
}

/** An id of the same form that does not exist. */
function nothingLike(id = ''): string {
  if (/^\d+$/.test(id)) return '999999999';
  const last = id.at(-1);
  return id.slice(0, -1) + (last === '0' ? '1' : '0');
}

const ofRequest = /^(date|x-request-id|content-length|connection|keep-alive)$/;

function withoutIds({ status, headers, body }: Answer, ids: Ids): string {
  const own = Object.entries(headers).filter(([name]) => !ofRequest.test(name));
  let text = `${status} ${JSON.stringify(Object.fromEntries(own))} ${body}`;
  for (const name of ownIds) {
    const id = ids[name] ?? '';
    text = /^\d*$/.test(id)
      ? text.replaceAll(`"${name}":${id}`, `<${name}>`)
      : text.replaceAll(id, `<${name}>`);
  }
  return text
    .replace(/"request_id":"[^"]*"/, '')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '<time>')
    .slice(0, 2_000);
}
