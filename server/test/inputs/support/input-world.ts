import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuard, type Guard, type GuardOptions } from '../../../src/base/guard/guard.ts';
import { createDecoder, type Decoder } from '../../../src/images/inputs/decoder.ts';
import type { FetchedInput } from '../../../src/images/inputs/fetch-input.ts';
import { fetchInputs, type InputSet } from '../../../src/images/inputs/fetch-inputs.ts';
import { type IngestedInputs, ingestInputs } from '../../../src/images/inputs/ingest-inputs.ts';
import { InputErrors, type InputFailure } from '../../../src/images/inputs/input-errors.ts';
import {
  bytesInProcess,
  type DecodeLimits,
  downloadsInProcess,
  type FetchLimits,
} from '../../../src/images/inputs/limits.ts';
import { createSemaphore } from '../../../src/images/inputs/semaphore.ts';
import { createSpace, type Space } from '../../../src/images/inputs/space.ts';
import { type DnsServer, startDnsServer, type Zone } from './dns-server.ts';
import { strangerAddress, strangerNetwork } from './strangers.ts';

export interface InputWorld extends AsyncDisposable {
  guard: Guard;
  dns: DnsServer;
  decoder: Decoder;
  space: Space;
  tempDir: string;
  fetch(urls: string[], signal?: AbortSignal): Promise<InputSet<FetchedInput>>;
  ingest(urls: string[], signal?: AbortSignal): Promise<IngestedInputs>;
  failures(urls: string[]): Promise<readonly InputFailure[]>;
  ingestFailures(urls: string[]): Promise<readonly InputFailure[]>;
}

export interface InputWorldOptions {
  zone?: Zone;
  allowNetworks?: string[];
  ownAddresses?: GuardOptions['ownAddresses'];
  limits?: Partial<FetchLimits>;
  decodeLimits?: Partial<DecodeLimits>;
  ca?: string;
}

/** The inputs of a server whose internet is 127.10.0.0/16, with a separate name server. */
export async function makeInputWorld(options: InputWorldOptions = {}): Promise<InputWorld> {
  const { zone = everyNameIsTheStranger, allowNetworks = [strangerNetwork], ownAddresses, ca } = options;
  const tempDir = await mkdtemp(join(tmpdir(), 'darkroom-inputs-'));
  const dns = await startDnsServer(zone);
  const guard = createGuard({
    allowNetworks,
    dnsServers: [dns.address],
    ...(ownAddresses && { ownAddresses }),
  });
  const decoder = createDecoder({ limits: options.decodeLimits ?? {} });
  const space = createSpace({ perOwner: bytesInProcess, inProcess: bytesInProcess, minFree: 0 });
  const shared = {
    guard,
    tempDir,
    owner: 'tests',
    slots: createSemaphore(downloadsInProcess),
    space,
    limits: options.limits ?? {},
    ...(ca && { ca }),
  };
  const never = new AbortController().signal;

  const fetch: InputWorld['fetch'] = (urls, signal = never) =>
    fetchInputs(urls, { ...shared, signal }, async (input) => input);
  const ingest: InputWorld['ingest'] = (urls, signal = never) =>
    ingestInputs(urls, { ...shared, decoder, signal });
  const failuresOf = async (attempt: Promise<AsyncDisposable>) => {
    const failures = await attempt.then(
      async (set) => {
        await set[Symbol.asyncDispose]();
        return assert.fail('it succeeded');
      },
      (error: unknown) => {
        assert(error instanceof InputErrors, String(error));
        return error.errors;
      },
    );
    return failures;
  };
  return {
    guard,
    dns,
    decoder,
    space,
    tempDir,
    fetch,
    ingest,
    failures: (urls) => failuresOf(fetch(urls)),
    ingestFailures: (urls) => failuresOf(ingest(urls)),
    async [Symbol.asyncDispose]() {
      await Promise.all([dns[Symbol.asyncDispose](), decoder[Symbol.asyncDispose]()]);
      const left = await readdir(tempDir);
      await rm(tempDir, { recursive: true });
      assert.deepEqual(left, [], 'temporary files were left behind');
    },
  };
}

const everyNameIsTheStranger: Zone = (_name, type) => ({ addresses: type === 'A' ? [strangerAddress] : [] });
