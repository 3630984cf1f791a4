import { howToSet } from '../base/aws/aws-settings.ts';
import { SettingError } from '../errors.ts';
import { assertKey } from './image-store.ts';

export interface Bucket {
  bucket: string;
  /** Without slashes at its ends, perhaps empty. */
  prefix: string;
  region: string;
  /** `https://host:port` of a store that is not Amazon's. */
  endpoint?: string;
}

export type Storage = { kind: 'disk'; folder?: string } | ({ kind: 's3' } & Bucket);

export const noBucketCredentials = `DARKROOM_STORAGE: there are no credentials for the S3 bucket: ${howToSet}.`;

const defaultRegion = 'us-east-1';
const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const regionPattern = /^[a-z0-9-]{1,40}$/;
const parameters = ['endpoint', 'region'];

/**
 * Parses an empty text or `disk` (the default folder), `disk:<folder>`, or
 * `s3://bucket/prefix?endpoint=https://…&region=…`.
 * @throws SettingError without the text, which may contain a credential
 */
export function parseStorage(text: string | undefined): Storage {
  if (text === undefined || text === '' || text === 'disk') return { kind: 'disk' };
  if (text.startsWith('disk:') && text.length > 'disk:'.length)
    return { kind: 'disk', folder: text.slice('disk:'.length) };
  if (!text.startsWith('s3://')) throw refusal('must be "disk", "disk:<folder>" or "s3://<bucket>/<prefix>"');
  return { kind: 's3', ...parseBucket(text, refusal) };
}

type Refuse = (what: string) => Error;

/** The error from `refuse` never contains the text. */
export function parseBucket(text: string, refuse: Refuse): Bucket {
  if (!URL.canParse(text)) throw refuse('is not a valid s3:// address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw refuse('must not contain credentials, which are set separately');
  }
  if (url.port !== '' || url.hash !== '' || !bucketPattern.test(url.hostname)) {
    throw refuse('must name a bucket: s3://<bucket>/<prefix>');
  }
  const region = parameter(url, 'region', refuse) ?? defaultRegion;
  if (!regionPattern.test(region)) throw refuse('has a region that is not a region name');
  const endpoint = parameter(url, 'endpoint', refuse);
  return {
    bucket: url.hostname,
    prefix: parsePrefix(url.pathname, refuse),
    region,
    ...(endpoint === undefined ? {} : { endpoint: parseEndpoint(endpoint, refuse) }),
  };
}

function parameter(url: URL, name: string, refuse: Refuse): string | undefined {
  for (const given of url.searchParams.keys()) {
    if (!parameters.includes(given)) throw refuse(`may have only the parameters ${parameters.join(' and ')}`);
  }
  const values = url.searchParams.getAll(name);
  if (values.length > 1) throw refuse(`has the parameter ${name} more than once`);
  return values[0];
}

function parsePrefix(pathname: string, refuse: Refuse): string {
  const prefix = pathname.replace(/^\//, '').replace(/\/$/, '');
  try {
    if (prefix !== '') assertKey(prefix);
  } catch {
    throw refuse('has a prefix with other characters than lower-case letters, digits, "-", "." and "/"');
  }
  return prefix;
}

function parseEndpoint(text: string, refuse: Refuse): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`) {
    throw refuse('has an endpoint that is not just http(s)://<host>:<port>');
  }
  return url.origin;
}

function refusal(what: string): SettingError {
  return new SettingError(`DARKROOM_STORAGE ${what}.`);
}
