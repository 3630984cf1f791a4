import type { Command } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { connect } from '../../client.ts';
import { exitCodes } from '../../exit-codes.ts';
import { explain } from '../../failure.ts';
import { formatDuration } from '../../format.ts';
import { readClientSettings, rootOf } from '../../settings.ts';
import { userAgent } from '../../user-agent.ts';
import { type Finding, tellFindings } from './findings.ts';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the address, the key, the versions and the clock')
    .option('--json', 'print one JSON object')
    .action(examine);
}

/** The largest acceptable clock skew. Beyond it, webhook signatures are refused and job times look wrong. */
const maxSkewMs = 60_000;
const patienceMs = 10_000;

export function examine({ json = false }: { json?: boolean }): Promise<void> {
  return tellFindings(examineConnection(), { json, width: 8 });
}

/** Stops at the first finding that makes further checks pointless. */
async function* examineConnection(): AsyncGenerator<Finding> {
  let settings: Awaited<ReturnType<typeof readClientSettings>>;
  try {
    settings = await readClientSettings(process.env);
  } catch (error) {
    return yield failed('settings', error);
  }
  const source = process.env.DARKROOM_API_KEY ? 'the environment' : 'a file';
  yield {
    name: 'settings',
    status: 'ok',
    found: `${settings.url}, with the key …${settings.key.slice(-4)} of ${source}`,
  };

  let skewMs = 0;
  try {
    const root = rootOf(settings.url).href.replace(/\/$/, '');
    const began = Date.now();
    const answer = await fetch(`${root}/livez`, asked());
    await answer.arrayBuffer();
    const tookMs = Date.now() - began;
    const date = Date.parse(answer.headers.get('date') ?? '');
    skewMs = Number.isNaN(date) ? 0 : date - (began + tookMs / 2);
    if (!answer.ok) throw new Error(`it answers ${answer.status}`);
    yield { name: 'server', status: 'ok', found: `answers in ${tookMs} ms` };
    yield await compareVersions(root);
  } catch (error) {
    const reason =
      error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : '';
    return yield {
      name: 'server',
      status: 'fail',
      found: `does not answer: ${reason}`,
      next: 'start it, or set DARKROOM_URL to where it runs',
      exitCode: exitCodes.unavailable,
    };
  }
  yield {
    name: 'clock',
    status: Math.abs(skewMs) <= maxSkewMs ? 'ok' : 'fail',
    // The `Date` header has a resolution of one second, so a skew below two seconds may not be real.
    found:
      Math.abs(skewMs) < 2_000
        ? 'as the server'
        : `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the server`,
    ...(Math.abs(skewMs) > maxSkewMs && { next: 'set the clock of this machine, or of the server' }),
  };
  yield* examineKey();
}

function asked(): RequestInit {
  return { headers: { 'user-agent': userAgent }, signal: AbortSignal.timeout(patienceMs) };
}

async function compareVersions(root: string): Promise<Finding> {
  const answer = await fetch(`${root}/api/v1/openapi.json`, asked());
  const { info } = (await answer.json().catch(() => ({}))) as { info?: { version?: string } };
  const { version } = manifest;
  const same = info?.version === version;
  return {
    name: 'version',
    status: info?.version === undefined ? 'fail' : same ? 'ok' : 'warn',
    found: same ? `${version}, as the server` : `${version}, the server ${info?.version ?? 'says none'}`,
    ...(!same && {
      next: info?.version
        ? `npm install -g ${root}/cli.tgz`
        : 'check that DARKROOM_URL is the address of a Darkroom server',
    }),
  };
}

async function* examineKey(): AsyncGenerator<Finding> {
  try {
    const darkroom = await connect();
    const { available } = await darkroom.balance();
    yield { name: 'key', status: 'ok', found: `works, with ${available} to spend` };
    const { data, currency } = await darkroom.models();
    const ready = data.filter(({ paused }) => !paused).map(({ id }) => id);
    yield {
      name: 'models',
      status: ready.length > 0 ? 'ok' : 'fail',
      found: ready.length > 0 ? `${ready.join(', ')}, paid in ${currency}` : 'all are paused',
    };
  } catch (error) {
    yield failed('key', error);
  }
}

function failed(name: string, error: unknown): Finding {
  const { message, next, exitCode } = explain(error);
  return { name, status: 'fail', found: message, next, exitCode };
}
