import pg from 'pg';
import { SettingError } from '../../../errors.ts';
import { DatabaseUnavailable } from '../database.ts';

/** A server of a database with several; at most one of them takes writes at a time. */
export type ServerConfig = pg.PoolConfig & { host: string; port: number };

// The longest wait for a server's answer; others can answer instead.
const askTimeoutMs = 2_000;
// While none takes writes, all are asked so often, however many requests come in.
const askAgainMs = 200;
/** The values of `target_session_attrs` that can mean the primary. */
const writable = new Set(['read-write', 'primary']);

/**
 * Splits libpq's address of several servers into one for each: `postgres://user:password@one:5432,two:5433/name`.
 * @throws SettingError
 */
export function listServerUrls(setting: string, url: string): string[] {
  const [, head = '', hosts = '', tail = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?#]*)(.*)$/.exec(url) ?? [];
  if (!hosts.includes(',')) return [url];
  const wanted = URL.parse(`${head}one${tail}`)?.searchParams.get('target_session_attrs');
  if (wanted && !writable.has(wanted))
    throw new SettingError(
      `${setting} has target_session_attrs=${wanted}, and Darkroom writes: leave it out, or say read-write.`,
    );
  return hosts.split(',').map((host) => `${head}${host}${tail}`);
}

/** Knows which server takes writes. */
export interface Servers {
  /** @throws DatabaseUnavailable while none does */
  primary(): Promise<ServerConfig>;
  /** Reports a failure: the next query asks all servers again. */
  doubt(): void;
}

/**
 * Asks all servers and takes the one that accepts writes with the newest timeline: an old primary that comes back still
 * believes that it is one. Servers behind what this process has seen are not taken.
 */
export function createServers(list: readonly ServerConfig[]): Servers {
  const [only] = list;
  if (only && list.length === 1) return { primary: async () => only, doubt() {} };
  let found: Promise<ServerConfig> | undefined;
  let newest = 0;

  async function find(): Promise<ServerConfig> {
    const answers = await Promise.all(list.map(askTimeline));
    const timeline = Math.max(...answers.map((answer) => answer ?? 0));
    const primary = list[answers.indexOf(timeline)];
    if (!primary || timeline < newest)
      throw new DatabaseUnavailable('None of the servers of the database takes writes.');
    newest = timeline;
    return primary;
  }

  const forget = () => (found = undefined);
  return {
    primary() {
      found ??= find().catch((error: unknown) => {
        setTimeout(forget, askAgainMs).unref();
        throw error;
      });
      return found;
    },
    doubt: forget,
  };
}

/** Counts promotions; undefined of a server that does not take writes, or does not answer. */
async function askTimeline(config: ServerConfig): Promise<number | undefined> {
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: askTimeoutMs,
    query_timeout: askTimeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    // The name of a file of the log begins with the timeline; a standby has none to write.
    const { rows } = await client.query<{ file: string | null }>(`select
      case when not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'
        then pg_walfile_name(pg_current_wal_lsn()) end as file`);
    const file = rows[0]?.file;
    return file ? Number.parseInt(file.slice(0, 8), 16) : undefined;
  } catch {
    return undefined;
  } finally {
    client.end().catch(() => {});
  }
}
