import pg from 'pg';
import { SettingError } from '../../../errors.ts';
import { DatabaseUnavailable } from '../database.ts';

/** One of a database's servers. At most one takes writes at a time. */
export type ServerConfig = pg.PoolConfig & { host: string; port: number };

// The longest wait for a server's answer, after which another server's answer counts.
const askTimeoutMs = 2_000;
// The interval at which all servers are asked while none takes writes, even if many requests come.
const askAgainMs = 200;
/** The values of `target_session_attrs` that can mean the primary. */
const writable = new Set(['read-write', 'primary']);

/** Splits a libpq address of servers: `postgres://user:password@one:5432,two:5433/name`. @throws SettingError */
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

export interface Servers {
  /** @throws DatabaseUnavailable while no server accepts writes */
  primary(): Promise<ServerConfig>;
  /** Reports a failure. The next query asks all servers again. */
  doubt(): void;
}

/** Chooses the newest timeline among the servers that take writes: an old primary that returns takes writes too. */
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
      throw new DatabaseUnavailable("None of the database's servers takes writes.");
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

/** Returns a server's timeline, which counts promotions; undefined if the server takes no writes or does not answer. */
async function askTimeline(config: ServerConfig): Promise<number | undefined> {
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: askTimeoutMs,
    query_timeout: askTimeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    // The name of a log file begins with the timeline. A standby writes no log files.
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
