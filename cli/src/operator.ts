import { DarkroomAdmin, NetworkError } from '@darkroom/sdk';
import type { Operator } from '@darkroom/server/operator';
import { CliError } from './cli-error.ts';
import { promptly } from './client.ts';
import { exitCodes } from './exit-codes.ts';
import { rootOf } from './settings.ts';

/** The operators' calls. They are the same on this machine as over HTTP on another server. */
export type Administration = DarkroomAdmin;

/** The result of a verb, with the field names of the JSON; times are ISO 8601, amounts decimal strings. */
export type Answer<Name extends keyof Administration> = Awaited<ReturnType<Administration[Name]>>;
type OwnVerb = Exclude<keyof Operator, symbol>;
export type OwnAnswer<Name extends OwnVerb> = Awaited<ReturnType<Operator[Name]>>;

/** Runs `work` on the server that DARKROOM_URL names if DARKROOM_ADMIN_KEY is set as well, or else on this machine. */
export async function withOperator<Result>(
  work: (operator: Administration) => Promise<Result>,
): Promise<Result> {
  const elsewhere = readElsewhere();
  if (elsewhere) return work(openAdmin(elsewhere));
  return openHere(async (operator) => {
    try {
      return await work(await openAdministrationHere(operator));
    } catch (error) {
      throw thrownHere(error);
    }
  });
}

export function isElsewhere(): boolean {
  return readElsewhere() !== undefined;
}

/** Runs work that is possible only on this machine. @throws CliError if the environment names another server */
export async function onThisMachine<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result> {
  refuseElsewhere();
  return openHere(work);
}

/** Like `onThisMachine`, for work on a database of any version, or without a database. */
export async function onDatabase<Result>(work: (server: Server) => Promise<Result>): Promise<Result> {
  refuseElsewhere();
  return work(await import('@darkroom/server/operator'));
}

type Server = Pick<
  typeof import('@darkroom/server/operator'),
  'backUpDatabase' | 'initMarking' | 'migrateDatabase' | 'planOfDatabase' | 'readMarking'
>;

function refuseElsewhere(): void {
  if (readElsewhere())
    throw new CliError(
      exitCodes.usage,
      'This only works on the machine of the server, and DARKROOM_ADMIN_KEY selects another one.',
      'run it there, without DARKROOM_ADMIN_KEY',
    );
}

/** Runs the server's operations on its data, even while the server is running. Client verbs never load them. */
async function openHere<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const { openOperator } = await import('@darkroom/server/operator');
  await using operator = await openOperator(process.env);
  return await work(operator);
}

/** The longest wait. People can end it themselves, but Node fires timers of more than 24.8 days immediately. */
const longestMs = 20 * 24 * 60 * 60 * 1000;

/** The administration's calls, which this process answers from the database, without a running server. */
export async function openAdministrationHere(operator: Pick<Operator, 'openFetch'>): Promise<Administration> {
  const fetch = await operator.openFetch();
  const options = { fetch, maxRetries: 0, requestTimeoutMs: longestMs };
  return new DarkroomAdmin({ baseUrl: 'http://localhost', adminKey: 'none', ...options });
}

/** Returns an operation's own error, which the client has wrapped in a `NetworkError`. */
export function thrownHere(error: unknown): unknown {
  return error instanceof NetworkError ? error.cause : error;
}

function readElsewhere(): { url: string; adminKey: string } | undefined {
  const { DARKROOM_ADMIN_KEY: adminKey, DARKROOM_URL: url } = process.env;
  return url && adminKey ? { url, adminKey } : undefined;
}

function openAdmin({ url, adminKey }: { url: string; adminKey: string }): DarkroomAdmin {
  try {
    return new DarkroomAdmin({ baseUrl: rootOf(url).href, adminKey, ...promptly });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(exitCodes.usage, `${error.message}.`, 'check DARKROOM_URL and DARKROOM_ADMIN_KEY');
  }
}

export async function allPages<Item>(
  list: (page: { cursor?: string; limit: number }) => Promise<{ data: Item[]; next_cursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list({ limit: 100, ...(cursor !== undefined && { cursor }) });
    items.push(...page.data);
    cursor = page.next_cursor;
  }
  return items;
}
