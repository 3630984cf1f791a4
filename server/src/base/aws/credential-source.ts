import { readFile } from 'node:fs/promises';
import type { request } from 'undici';
import { type AwsCredentials, type AwsSettings, howToSet } from './aws-settings.ts';

/** Returns credentials that are valid for a request sent now. @throws CredentialsError */
export type CredentialSource = () => Promise<AwsCredentials>;

/** An error that never quotes the service's answer, which may contain credentials. */
export class CredentialsError extends Error {
  override name = 'CredentialsError';
  /** True if the service may provide credentials later. */
  readonly passing: boolean;

  constructor(message: string, { passing, cause }: { passing: boolean; cause?: unknown }) {
    super(message, { cause });
    this.passing = passing;
  }
}

interface Lent {
  credentials: AwsCredentials;
  expiresAt: number;
}

// Amazon provides new credentials five minutes before the old ones expire, and a large PUT may take a minute.
const refreshBeforeMs = 5 * 60 * 1000;
// The pause between failed renewals while the old credentials are valid, so that images seldom wait for a renewal.
const retryMs = 10_000;
// How long to wait for the service, which is on this machine. Where there is no such service, no answer ever comes.
const askTimeoutMs = 2_000;
const maxAnswerBytes = 64 * 1024;
const tokenSeconds = 300;
const noCredentials = `there are no credentials for Amazon: ${howToSet}`;

/** Provides the configured keys, or else temporary keys for this container's or instance's role, renewed in time. */
export function createCredentials(aws: AwsSettings): CredentialSource {
  if (aws.kind === 'keys') return async () => aws.credentials;
  const read = aws.kind === 'container' ? () => readContainer(aws) : () => readInstance(aws.endpoint);
  let current: Lent | undefined;
  let reading: Promise<void> | undefined;
  let notBefore = 0;

  async function refresh(): Promise<void> {
    try {
      current = await read();
    } catch (error) {
      if (!current || Date.now() >= current.expiresAt) throw error;
      notBefore = Date.now() + retryMs;
    } finally {
      reading = undefined;
    }
  }

  return async () => {
    const isDue = !current || (Date.now() >= current.expiresAt - refreshBeforeMs && Date.now() >= notBefore);
    if (isDue) {
      reading ??= refresh();
      await reading;
    }
    if (!current) throw new Error('credentials were just read');
    return current.credentials;
  };
}

async function readContainer({ url, token }: Extract<AwsSettings, { kind: 'container' }>): Promise<Lent> {
  const authorization = token && ('file' in token ? (await readFile(token.file, 'utf8')).trim() : token.text);
  const answer = await ask(url, { headers: authorization ? { authorization } : {} });
  if (answer.status !== 200) throw passing(`the container's credentials were refused (${answer.status})`);
  return parseLent(answer.text);
}

/** Uses version 2 of the metadata service. Version 1 would answer any GET, even one that an attacker makes us send. */
async function readInstance(endpoint: string): Promise<Lent> {
  const origin = endpoint.replace(/(?<!\/)\/+$/, '');
  const token = await ask(`${origin}/latest/api/token`, {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': String(tokenSeconds) },
  }).catch((error: unknown) => {
    throw new CredentialsError(noCredentials, { passing: false, cause: error });
  });
  if (token.status !== 200)
    throw new CredentialsError(`${noCredentials} (metadata: ${token.status})`, { passing: false });
  const headers = { 'x-aws-ec2-metadata-token': token.text };
  const roles = `${origin}/latest/meta-data/iam/security-credentials/`;
  const role = await ask(roles, { headers });
  if (role.status === 404)
    throw new CredentialsError(`${noCredentials} (this instance has none)`, { passing: false });
  const answer = await ask(roles + encodeURIComponent(role.text.split('\n')[0]?.trim() ?? ''), { headers });
  if (role.status !== 200 || answer.status !== 200)
    throw passing(`the instance's credentials were refused (${role.status}, ${answer.status})`);
  return parseLent(answer.text);
}

async function ask(
  url: string,
  options: Pick<NonNullable<Parameters<typeof request>[1]>, 'headers' | 'method'>,
): Promise<{ status: number; text: string }> {
  const undici = await import('undici');
  try {
    const signal = AbortSignal.timeout(askTimeoutMs);
    const { statusCode, body } = await undici.request(url, { ...options, signal });
    return { status: statusCode, text: await readText(body) };
  } catch (cause) {
    throw passing('the credentials of this machine could not be read', cause);
  }
}

function parseLent(text: string): Lent {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = toRecord(text);
  const expiresAt = Date.parse(String(Expiration));
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string' || Number.isNaN(expiresAt))
    throw passing('the credentials of this machine are not in the form that Amazon gives them');
  const sessionToken = typeof Token === 'string' ? { sessionToken: Token } : {};
  return {
    credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, ...sessionToken },
    expiresAt,
  };
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error(`an answer of more than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function passing(message: string, cause?: unknown): CredentialsError {
  return new CredentialsError(message, { passing: true, cause });
}

function toRecord(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
