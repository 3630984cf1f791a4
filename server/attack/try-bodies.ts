import {
  type BodyFault,
  bodyFaults,
  framings,
  type SampleBody,
  sampleBodies,
  sendBroken,
} from '../test/http/support/broken-bodies.ts';
import type { Caller } from './callers.ts';
import type { Call } from './calls.ts';
import { refusalOf } from './expect.ts';
import { addressOf } from './fill.ts';
import type { Report } from './report.ts';
import { inParallel, send } from './send.ts';
import { type SpoiltBody, spoiltBodies } from './spoilt-bodies.ts';
import type { Target } from './target.ts';
import { spends } from './try-rights.ts';

const atOnce = 8;

export async function tryBodies(
  target: Target,
  report: Report,
  { full, onProgress }: { full: boolean; onProgress: (line: string) => void },
): Promise<void> {
  // Calls that end a session come last, because the caller needs the session for the other calls.
  const calls = target.calls
    .filter(({ reads }) => !reads)
    .sort((one, other) => Number(spends(one)) - Number(spends(other)));
  const callers = [...target.cast.callers.values()];
  for (const call of calls) {
    const letIn = callers.find((caller) => !refusalOf(call, caller));
    const tries = (full ? callers : callers.filter((caller) => caller === letIn)).flatMap((caller) => [
      ...spoiltBodies.map((body) => () => sendSpoilt(target, report, { call, caller, body })),
      ...brokenBodies(full && caller === letIn).map(
        (body) => () => sendBrokenOff(target, report, { call, caller, body }),
      ),
    ]);
    const began = performance.now();
    await inParallel(tries, atOnce, (attempt) => attempt());
    await target.look();
    onProgress(`${call.name}: ${tries.length} bodies in ${Math.round(performance.now() - began)} ms`);
  }
}

interface Try<Body> {
  call: Call;
  caller: Caller;
  body: Body;
}

async function sendSpoilt(target: Target, report: Report, one: Try<SpoiltBody>): Promise<void> {
  const { call, caller, body } = one;
  for (const framing of framings) {
    report.tried(call, 'bodies');
    const answer = await send(target.url, {
      method: call.method,
      path: pathFor(one),
      headers: {
        ...caller.headers,
        ...body.headers,
        ...(body.type !== undefined && { 'content-type': body.type }),
        ...(framing === 'chunked' && { 'transfer-encoding': 'chunked' }),
      },
      body: body.body,
    }).catch((error: unknown) => String(error));
    judge(report, one, typeof answer === 'string' ? undefined : answer.status, `${body.name}, ${framing}`);
  }
}

type Broken = SampleBody & { framing: (typeof framings)[number]; fault: BodyFault };

function brokenBodies(everyType: boolean): Broken[] {
  const samples = everyType ? sampleBodies : sampleBodies.slice(0, 1);
  return samples.flatMap((sample) =>
    framings.flatMap((framing) => bodyFaults.map((fault) => ({ ...sample, framing, fault }))),
  );
}

async function sendBrokenOff(target: Target, report: Report, one: Try<Broken>): Promise<void> {
  const { call, caller, body } = one;
  report.tried(call, 'bodies');
  const { method } = call;
  const sent = { ...body, method, path: pathFor(one), headers: caller.headers };
  const outcome = await sendBroken(target.url, sent).catch(() => undefined);
  const name = `${body.fault}, ${body.type}, ${body.framing}`;
  if (outcome?.connection === 'stuck') report.wrong(`leaves a connection open: ${name}`, call, caller.name);
  // A caller that breaks off need not get an answer.
  if (outcome?.reply || body.fault === 'too long') judge(report, one, outcome?.reply?.status, name);
}

/** The path names only an account and a model that exist, so that a body that is valid by chance changes nothing. */
function pathFor({ call, caller: { ids } }: Pick<Try<unknown>, 'call' | 'caller'>): string {
  const { account_id = '', account = '' } = ids;
  return addressOf(call, { account_id, account, model: 'nb2', call: 'nb2:generateContent' });
}

/** The server's answer while the memory for bodies is full. */
const overloaded = 503;

function judge(
  report: Report,
  { call, caller }: Try<unknown>,
  status: number | undefined,
  name: string,
): void {
  const isRefused = refusalOf(call, caller) !== null;
  if (status === undefined) report.wrong(`gave no answer: ${name}`, call, caller.name);
  else if ((status >= 500 && status !== overloaded) || (isRefused && status < 400))
    report.wrong(`answered ${status}: ${name}`, call, caller.name);
}
