import { createHash } from 'node:crypto';
import { howToSet } from '../../../base/aws/aws-settings.ts';
import { CredentialsError, createCredentials } from '../../../base/aws/credential-source.ts';
import type { Guard } from '../../../base/guard/guard.ts';
import { SettingError } from '../../../errors.ts';
import { parseBaseUrl } from '../base-url.ts';
import { type Body, UnreadableInput } from '../body.ts';
import { abortFailure, failure } from '../failure.ts';
import { type Answer, createUpstream, type Upstream } from '../upstream.ts';
import type { BedrockCredentials, BedrockSettings } from './settings.ts';

export interface SignedCalls {
  upstream: Upstream;
  invoke(model: string, body: Body, signal: AbortSignal): Promise<Answer>;
  /** Lists the region's image models. Costs nothing. */
  list(signal: AbortSignal): Promise<Answer>;
}

interface Call {
  method: 'GET' | 'POST';
  url: string;
  body?: Body;
  signal: AbortSignal;
}

/** The region that has the models of Stability AI. */
const defaultRegion = 'us-west-2';

/** Signs with Signature Version 4. @throws SettingError without credentials */
export function createSignedCalls(
  settings: Pick<BedrockSettings, 'region' | 'baseUrl'>,
  { aws, ...credentials }: BedrockCredentials,
  guard: Guard,
): SignedCalls {
  if (!aws) throw new SettingError(`bedrock needs credentials for Amazon: ${howToSet}`);
  const region = settings.region ?? credentials.region ?? defaultRegion;
  const own = settings.baseUrl === undefined ? undefined : parseBaseUrl(settings.baseUrl).href;
  const runtime = own ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  const control = own ?? `https://bedrock.${region}.amazonaws.com`;
  const upstream = createUpstream(guard, aws.kind === 'keys' ? Object.values(aws.credentials) : []);
  const current = createCredentials(aws);
  const signingKeys = new Map<string, ArrayBuffer>();

  async function call({ method, url, body, signal }: Call): Promise<Answer> {
    if (signal.aborted) throw abortFailure(signal);
    // The signer is loaded with the first call, because an idle server needs none.
    const { AwsV4Signer } = await import('aws4fetch');
    const signed = await new AwsV4Signer({
      method,
      url,
      headers: { accept: 'application/json', 'x-amz-content-sha256': await hashOf(body) },
      ...(await current().catch(explain)),
      service: 'bedrock',
      region,
      cache: signingKeys,
    }).sign();
    const headers = Object.fromEntries(signed.headers);
    return upstream.call({ method, url, headers, signal, ...(body && { body }) });
  }

  return {
    upstream,
    invoke: (model, body, signal) =>
      call({ method: 'POST', url: `${runtime}/model/${encodeURIComponent(model)}/invoke`, body, signal }),
    list: (signal) =>
      call({ method: 'GET', url: `${control}/foundation-models?byOutputModality=IMAGE`, signal }),
  };
}

/** Reads the images for the hash. They are read again when they are sent. */
async function hashOf(body: Body | undefined): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of body?.stream() ?? []) hash.update(chunk);
  } catch (error) {
    throw error instanceof UnreadableInput ? error.cause : error;
  }
  return hash.digest('hex');
}

function explain(error: unknown): never {
  if (!(error instanceof CredentialsError)) throw error;
  throw failure(error.passing ? 'unavailable' : 'auth', { detail: error.message, cause: error });
}
