import { parseBaseUrl } from '../base-url.ts';
import type { Body } from '../body.ts';
import { failure, shorten } from '../failure.ts';
import { pick, pickText } from '../pick.ts';
import { defaultPollMs, poll } from '../poll.ts';
import type { FailureKind, ProviderError, ToldCharge } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';
import { isBfl } from './own-address.ts';
import type { BflSettings } from './settings.ts';

export const bflUrl = 'https://api.bfl.ai/v1';

interface Submitted {
  /** The address to poll, with the task's cost. */
  taskId: string;
  charge: ToldCharge;
}

/** The address that a submission returns identifies its task and names the region. */
export function createTasks(settings: BflSettings, key: string, upstream: Upstream) {
  const headers = { 'x-key': key };
  const { href } = parseBaseUrl(settings.baseUrl ?? bflUrl);
  const home = new URL(href);

  /** The key must not be sent to any address except BFL's. */
  function isOwn(address: string): boolean {
    const url = URL.parse(address);
    return url !== null && (url.origin === home.origin || (isBfl(home.href) && isBfl(url.href)));
  }

  /** A 403 in the API's error format is about the key: https://docs.bfl.ai/api_integration/errors. */
  function refusalOf(answer: Answer): ProviderError {
    const isOfKey = answer.status === 403 && pickText(answer.json(), 'detail') !== undefined;
    return upstream.refusal(answer, { proven: isOfKey ? 'auth' : undefined });
  }

  return {
    /** Returns the task, and its cost, which only this answer contains. */
    async submit(body: Body, signal: AbortSignal): Promise<Submitted> {
      const url = `${href}/${settings.model}`;
      const answer = await upstream.call({ method: 'POST', url, headers, body, signal });
      if (!answer.ok) throw refusalOf(answer);
      const task = answer.json();
      const address = pickText(task, 'polling_url') ?? '';
      if (!isOwn(address)) throw upstream.refusal(answer, { kind: 'bad_response' });
      const charge = chargeOf(pick(task, 'cost'));
      return { taskId: withCharge(address, charge), charge };
    },

    /** Returns the link to the image once the task has ended. */
    async result(taskId: string, signal: AbortSignal): Promise<string> {
      const address = taskId.replace(keptCredits, '');
      if (!isOwn(address))
        throw failure('unavailable', { sent: true, detail: 'the task is not of this server' });
      const ask = async () => {
        const answer = await upstream.call({ url: address, headers, signal });
        if (!answer.ok && answer.status !== 404) throw refusalOf(answer);
        return answer.ok ? answer.json() : { status: 'Task not found' };
      };
      return poll({ ask, read: readTask, intervalMs: settings.pollMs ?? defaultPollMs, signal });
    },

    /** Throws if the key is refused, there is no credit, or BFL does not answer. */
    async probe(signal: AbortSignal): Promise<void> {
      const answer = await upstream.call({ url: `${href}/credits`, headers, signal });
      if (!answer.ok) throw refusalOf(answer);
      const credits = pick(answer.json(), 'credits');
      if (typeof credits !== 'number') throw failure('bad_response', { detail: 'an answer without credits' });
      if (credits <= 0) throw failure('quota', { detail: `${credits} credits are left` });
    },
  };
}

function chargeOf(credits: unknown): ToldCharge {
  const used = typeof credits === 'number' ? { credit: credits } : undefined;
  const usage = credits === undefined ? undefined : { cost: credits };
  return { used, usage, isEarly: true };
}

/** Follows the address of a task, for the attempt that resumes the task. Never sent. */
const keptCredits = /#credits=([\d.e+-]+)$/;

function withCharge(address: string, { used }: ToldCharge): string {
  return used ? `${address}#credits=${used.credit}` : address;
}

export function chargeIn(taskId: string): ToldCharge {
  const credits = keptCredits.exec(taskId)?.[1];
  return chargeOf(credits === undefined ? undefined : Number(credits));
}

/**
 * An unknown state counts as running, because a retry would make us pay twice. docs.bfl.ai/api_integration/errors (24
 * November 2026).
 */
function readTask(task: unknown): string | undefined {
  const status = pickText(task, 'status') ?? '';
  const detail = shorten(`task ${status}: ${JSON.stringify(pick(task, 'details') ?? null)}`, 500);
  const kind = Object.hasOwn(endings, status) ? endings[status] : undefined;
  // BFL bills every task that it has begun, even if it has forgotten it.
  if (kind) throw failure(kind, { sent: true, detail });
  if (status !== 'Ready') return undefined;
  const link = pickText(task, 'result', 'sample');
  if (link) return link;
  throw failure('no_image', { detail: 'a task that is ready without a sample' });
}

const endings: Readonly<Record<string, FailureKind>> = {
  'Request Moderated': 'safety_blocked',
  'Content Moderated': 'safety_blocked',
  // BFL forgets tasks after a while.
  'Task not found': 'unavailable',
  Error: 'bad_response',
};
