import { howToSet } from '../aws/aws-settings.ts';
import { SettingError } from '../errors.ts';
import { assertKey } from './image-store.ts';

export type Storage =
  | { kind: 'disk'; folder?: string }
  | { kind: 's3'; bucket: string; prefix: string; region: string; endpoint?: string };

export const noBucketCredentials = `DARKROOM_STORAGE: there are no credentials for the S3 bucket: ${howToSet}.`;

const defaultRegion = 'us-east-1';
const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const regionPattern = /^[a-z0-9-]{1,40}$/;
const parameters = ['endpoint', 'region'];

/**
 * Parses where images are stored: nothing or `disk` (the default folder), `disk:<folder>`, or
 * `s3://bucket/prefix?endpoint=https://…&region=…`. Throws a `SettingError` that never contains the text,
 * which may hold a credential.
 */
export function parseStorage(text: string | undefined): Storage {
  if (text === undefined || text === '' || text === 'disk') return { kind: 'disk' };
  if (text.startsWith('disk:') && text.length > 'disk:'.length)
    return { kind: 'disk', folder: text.slice('disk:'.length) };
  if (!text.startsWith('s3://')) throw refusal('must be "disk", "disk:<folder>" or "s3://<bucket>/<prefix>"');
  if (!URL.canParse(text)) throw refusal('is not a valid s3:// address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw refusal('must not hold credentials: they have settings of their own');
  }
  if (url.port !== '' || url.hash !== '' || !bucketPattern.test(url.hostname)) {
    throw refusal('must name a bucket: s3://<bucket>/<prefix>');
  }
  const region = parameter(url, 'region') ?? defaultRegion;
  if (!regionPattern.test(region)) throw refusal('has a region that is no region name');
  const endpoint = parameter(url, 'endpoint');
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: parsePrefix(url.pathname),
    region,
    ...(endpoint === undefined ? {} : { endpoint: parseEndpoint(endpoint) }),
  };
}

function parameter(url: URL, name: string): string | undefined {
  for (const given of url.searchParams.keys()) {
    if (!parameters.includes(given))
      throw refusal(`may have the parameters ${parameters.join(' and ')} only`);
  }
  const values = url.searchParams.getAll(name);
  if (values.length > 1) throw refusal(`has the parameter ${name} more than once`);
  return values[0];
}

function parsePrefix(pathname: string): string {
  const prefix = pathname.replace(/^\//, '').replace(/\/$/, '');
  try {
    if (prefix !== '') assertKey(prefix);
  } catch {
    throw refusal('has a prefix with other characters than lower-case letters, digits, "-", "." and "/"');
  }
  return prefix;
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`) {
    throw refusal('has an endpoint that is not just http(s)://<host>:<port>');
  }
  return url.origin;
}

function refusal(what: string): SettingError {
  return new SettingError(`DARKROOM_STORAGE ${what}.`);
}
