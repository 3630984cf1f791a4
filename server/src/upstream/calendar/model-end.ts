import rows from './calendar.json' with { type: 'json' };

/** How long a vendor keeps certain models. Days are `YYYY-MM-DD` and begin at 00:00 UTC. */
interface Lifetime {
  provider: string;
  models: readonly string[];
  from?: string;
  /** When the end was announced. */
  deprecated?: string;
  /** The first day without the model. */
  ends?: string;
  /** The vendor's recommended successors, with ` or ` between them. */
  next?: string;
  /** How the price changes with the successor, in sentences. */
  price?: string;
  source: string;
  /** When the source was read. */
  read: string;
}

export const calendar: readonly Lifetime[] = rows;

export interface DatedModel {
  provider: string;
  upstream: string | null;
  /** True if the route's address is not the provider's own. */
  isElsewhere?: boolean;
}

export interface ModelEnd {
  on: string;
  over: boolean;
  notice: string;
}

const dayMs = 24 * 60 * 60 * 1000;
/** How long before a model's end its notice appears: time to try a successor and shift traffic to it by weight. */
const noticeMs = 30 * dayMs;

/** Null if no end is known, or if it is more than `noticeMs` away. */
export function endOf(model: DatedModel, nowMs: number): ModelEnd | null {
  const lifetime = lifetimeOf(model);
  const at = announcedEnd(model)?.atMs;
  if (!lifetime?.ends || at === undefined || at - nowMs > noticeMs) return null;
  const over = at <= nowMs;
  return { on: lifetime.ends, over, notice: describeEnd(model, lifetime, at - nowMs) };
}

/** `next` is the recommended successor, perhaps empty. Null if no end is known. */
export function announcedEnd(model: DatedModel): { atMs: number; next: string } | null {
  const lifetime = lifetimeOf(model);
  if (lifetime?.ends === undefined) return null;
  return { atMs: Date.parse(`${lifetime.ends}T00:00:00Z`), next: lifetime.next ?? '' };
}

/** Undefined for a server that only speaks OpenAI's protocol, because its models may have any names. */
function lifetimeOf({ provider, upstream, isElsewhere = false }: DatedModel): Lifetime | undefined {
  if (upstream === null || (provider === 'openai' && isElsewhere)) return undefined;
  return calendar.find((row) => row.provider === provider && row.models.includes(upstream));
}

function describeEnd(
  { upstream }: DatedModel,
  { ends, next, price, source, read }: Lifetime,
  leftMs: number,
) {
  const days = Math.ceil(leftMs / dayMs);
  const when =
    leftMs <= 0 ? `ended on ${ends}` : `ends on ${ends}, in ${days === 1 ? '1 day' : `${days} days`}`;
  const follows = next === undefined ? [] : [`${next} follows it.`];
  return [`${upstream} ${when}.`, ...follows, ...(price ? [price] : []), `Source: ${source}, ${read}.`].join(
    ' ',
  );
}
