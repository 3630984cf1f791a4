import type { LookupFunction, Socket } from 'node:net';
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { acceptUnsolicitedContinue } from '../std/outgoing/accept-unsolicited-continue.ts';
import { bareHost, notPublicDetail, portOf } from './check-url.ts';
import { GuardError } from './guard-error.ts';
import { NameError } from './resolve-name.ts';

export interface Rules {
  addressesOf(host: string, port: number): Promise<string[]>;
  mayConnect(address: string, port: number): boolean;
}

export type GuardedAgentOptions = Omit<Agent.Options, 'connect' | 'factory'> & {
  /** The time limit from the end of the lookup until the connection, including TLS, is ready. */
  connectTimeoutMs?: number;
  blockedDetail?: string;
  /** An additional certificate authority, for tests. */
  ca?: string;
};

/** An undici dispatcher that connects only to checked addresses, and checks the connected socket again. */
export function createGuardedAgent(rules: Rules, options: GuardedAgentOptions): Agent {
  const { connectTimeoutMs: _connect, blockedDetail: _detail, ca: _ca, ...rest } = options;
  return new Agent({ ...rest, connect: connector(rules, options) });
}

function connector(
  { addressesOf, mayConnect }: Rules,
  options: GuardedAgentOptions,
): buildConnector.connector {
  return (target, callback) => {
    const host = bareHost(target.hostname);
    const port = portOf(target);
    addressesOf(host, port).then(
      (addresses) => {
        // Data may go only to a permitted IP address, so the connected socket's address is checked.
        const isRight = (remote: string) => addresses.includes(remote) && mayConnect(remote, port);
        connectPinned({ target, addresses, isRight, options, callback });
      },
      (error: unknown) => callback(explain(error, host), null),
    );
  };
}

const defaultConnectMs = 5_000;

interface PinnedConnection {
  target: buildConnector.Options;
  addresses: readonly string[];
  isRight(remote: string): boolean;
  options: GuardedAgentOptions;
  callback: buildConnector.Callback;
}

function connectPinned({ target, addresses, isRight, options, callback }: PinnedConnection): void {
  const { connectTimeoutMs: timeout = defaultConnectMs, ca } = options;
  const connect = buildConnector({
    timeout,
    allowH2: false,
    lookup: answerWith(addresses),
    ...(ca && { ca }),
  });
  try {
    connect(target, (error, socket) => {
      if (error !== null) return callback(error, null);
      if (isRight(socket.remoteAddress ?? '')) return callback(null, acceptUnsolicitedContinue(socket));
      drop(socket);
      callback(new GuardError('blocked', options.blockedDetail ?? notPublicDetail), null);
    });
  } catch (error) {
    // A host name that is invalid for TLS throws here, outside any promise.
    callback(error instanceof Error ? error : new Error(String(error)), null);
  }
}

/** Answers the lookup with the checked addresses, so that the name is not resolved again. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const records = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = records;
    if (first === undefined) return callback(new Error('no address'), '');
    if (options.all) callback(null, records);
    else callback(null, first.address, first.family);
  };
}

function drop(socket: Socket): void {
  socket.on('error', () => undefined).destroy();
}

function explain(error: unknown, host: string): Error {
  if (error instanceof NameError) {
    const [reason, message] = nameProblems[error.problem];
    return new GuardError(reason, message(host), error);
  }
  return error instanceof Error ? error : new Error(String(error));
}

const nameProblems: Record<NameError['problem'], [GuardError['reason'], (host: string) => string]> = {
  not_found: ['name_not_found', (host) => `There is no host named ${host}. Check the spelling of the URL.`],
  server_failed: [
    'lookup_failed',
    (host) => `The name ${host} could not be looked up: its name servers report a failure.`,
  ],
  too_slow: [
    'lookup_timeout',
    (host) => `The name ${host} could not be looked up: its name servers do not answer.`,
  ],
};
