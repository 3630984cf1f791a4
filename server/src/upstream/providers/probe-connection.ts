import { type Guard, notAServerDetail } from '../../base/guard/guard.ts';
import { SettingError } from '../../errors.ts';
import { endOf } from '../calendar/model-end.ts';
import { parseBaseUrl } from './base-url.ts';
import type { ConnectionKind, UpstreamModel } from './connection.ts';
import { isOwnAddress } from './given-credentials.ts';
import { type FailureKind, ProviderError } from './provider.ts';
import { type Connectable, type CredentialsOf, connectable, connectables } from './providers.ts';

export interface ConnectionDetails<Kind extends Connectable = Connectable> {
  provider: Kind;
  baseUrl?: string | undefined;
  /** A key or token, the JSON of a service account, or the `user:password` of a server. */
  key?: string | undefined;
}

export const connectionProblems = [
  'key_missing',
  'key_unreadable',
  'key_refused',
  'no_quota',
  'address_missing',
  'address_unreadable',
  'unreachable',
  'not_this_api',
  'model_missing',
  'busy',
] as const;
export type ConnectionProblem = (typeof connectionProblems)[number];

export type ProbeResult =
  | { ok: true; models: readonly UpstreamModel[]; baseUrl?: string }
  /** `detail` is for the operator: sentences that say what to do next, and never contain the key. */
  | { ok: false; problem: ConnectionProblem; detail: string };

/** The time after which a server counts as dead: lists of models arrive much sooner. */
const probeTimeoutMs = 15_000;

/** Checks a connection without making an image, free of charge. */
export async function probeConnection<Kind extends Connectable>(
  { provider, baseUrl, key }: ConnectionDetails<Kind>,
  guard: Guard,
  stop?: AbortSignal,
  nowMs = Date.now(),
): Promise<ProbeResult> {
  const kind: ConnectionKind<CredentialsOf[Kind]> = connectable[provider].connection;
  const refused = refuseDetails(kind, { baseUrl, key });
  if (refused) return refused;
  const late = AbortSignal.timeout(probeTimeoutMs);
  try {
    const credentials = readCredentials(provider, key);
    const found = await kind.find(
      { baseUrl, credentials, guard },
      stop ? AbortSignal.any([stop, late]) : late,
    );
    const { models } = kind.advice;
    if (found.models.length === 0 && models)
      return problem(
        'model_missing',
        `${kind.name} answers, but lists no model that makes images. ${models}`,
      );
    return {
      ok: true,
      ...found,
      models: found.models.flatMap((model) => dated(provider, model, { baseUrl, nowMs })),
    };
  } catch (error) {
    if (error instanceof SettingError) return problem('key_unreadable', sentence(error.message));
    if (error instanceof ProviderError) return explain(kind, { baseUrl, key }, error);
    throw error;
  }
}

/** Adds a notice if the vendor will soon retire the model. Omits retired models, which vendors list for a while. */
function dated(
  provider: Connectable,
  model: UpstreamModel,
  { baseUrl, nowMs }: { baseUrl: string | undefined; nowMs: number },
): UpstreamModel[] {
  const isElsewhere = baseUrl !== undefined && !isOwnAddress(provider, baseUrl);
  const end = endOf({ provider, upstream: model.id, isElsewhere }, nowMs);
  if (end?.over) return [];
  return [end ? { ...model, notice: end.notice } : model];
}

/** @throws SettingError for text that cannot be a key */
export function readCredentials<Kind extends Connectable>(
  provider: Kind,
  key: string | undefined,
): CredentialsOf[Kind] {
  const kind: ConnectionKind<CredentialsOf[Kind]> = connectable[provider].connection;
  return key?.trim() ? kind.readKey(key.trim()) : {};
}

export interface ConnectableForm {
  provider: Connectable;
  name: string;
  about: string;
  needsAddress: boolean;
  keyless: ConnectionKind<unknown>['keyless'];
  advice: ConnectionKind<unknown>['advice'];
}

export function connectableForms(): ConnectableForm[] {
  return connectables.map((provider) => {
    const { name, about, needsAddress, keyless, advice } = connectable[provider].connection;
    return { provider, name, about, needsAddress, keyless, advice };
  });
}

type Pasted = Pick<ConnectionDetails, 'baseUrl' | 'key'>;
type Told = Pick<ConnectionKind<unknown>, 'name' | 'needsAddress' | 'keyless' | 'advice'>;

function refuseDetails(
  { name, needsAddress, keyless, advice }: Told,
  { baseUrl, key }: Pasted,
): ProbeResult | undefined {
  if (!baseUrl && needsAddress)
    return problem('address_missing', `${name} needs an address. ${advice.address}`);
  try {
    if (baseUrl) parseBaseUrl(baseUrl);
  } catch (error) {
    if (error instanceof SettingError) return problem('address_unreadable', sentence(error.message));
    throw error;
  }
  const needsKey = keyless === 'never' || (keyless === 'elsewhere' && !baseUrl);
  if (!key?.trim() && needsKey) return problem('key_missing', `${name} needs a key. ${advice.key}`);
  return undefined;
}

const problems: Record<FailureKind, ConnectionProblem> = {
  auth: 'key_refused',
  quota: 'no_quota',
  network: 'unreachable',
  timeout: 'unreachable',
  cancelled: 'unreachable',
  rate_limited: 'busy',
  unavailable: 'busy',
  model_not_found: 'not_this_api',
  bad_response: 'not_this_api',
  invalid_input: 'not_this_api',
  unsupported: 'not_this_api',
  safety_blocked: 'not_this_api',
  no_image: 'not_this_api',
};

function explain({ name, advice }: Told, { baseUrl, key }: Pasted, error: ProviderError): ProbeResult {
  // The guard refused the address, so no other check applies.
  if (error.detail === notAServerDetail) return problem('unreachable', notAServerDetail);
  const { href, authorization } = parseBaseUrl(baseUrl ?? 'https://unused');
  const where = baseUrl ? `The server at ${href}` : name;
  const hadKey = Boolean(key?.trim() || authorization);
  const found = error.kind === 'auth' && !hadKey ? 'key_missing' : problems[error.kind];
  const sentences: Partial<Record<ConnectionProblem, string>> = {
    key_missing: `${where} wants a key. ${advice.key}`,
    key_refused: `${where} refuses the key. ${advice.key}`,
    no_quota: `${where} accepts the key, but its quota or credit is used up. ${advice.quota}`,
    unreachable: baseUrl
      ? `Nothing answers at ${href}. Check the address, and that the server runs and may be reached from here.`
      : `${name} cannot be reached. Check that this machine may connect to the internet.`,
    not_this_api: `${where} answers, but not as ${name} does. ${advice.address}`,
    busy: `${where} answers, but is starting or has too much to do. Try again in a minute.`,
  };
  return problem(
    found,
    [sentences[found], error.detail && `It said: ${error.detail}`].filter(Boolean).join(' '),
  );
}

function problem(found: ConnectionProblem, detail: string): ProbeResult {
  return { ok: false, problem: found, detail };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
