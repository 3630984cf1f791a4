import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { openWay } from './harm/way.ts';
import { listen, portOf } from './listen.ts';
import type { Direction, Moment, TransactionKind } from './plan.ts';
import { resetSocket } from './reset-socket.ts';
import { kindOfStatement } from './statements.ts';

/** What to do at the next COMMIT of this kind that passes through the process's proxy. */
export interface CommitRule {
  transaction: TransactionKind;
  moment: Moment;
  /** Called at that moment. The connection breaks in any case. */
  act(): void;
}

/** A proxy between one server process and PostgreSQL. It understands just enough of the protocol to see a COMMIT. */
export interface PostgresProxy extends AsyncDisposable {
  readonly port: number;
  /** Replaces the previous rule if that is still waiting; null removes it. */
  breakNextCommit(rule: CommitRule | null): void;
  resetConnections(): number;
  /** Silences for good the connections that are open or begin within this time, unnoticed, as a pulled cable would. */
  dropFor(ms: number): void;
  delayFor(ms: number): void;
  /**
   * Blocks one direction, including closes, for this time. Afterwards everything passes, because TCP resends lost data.
   * So a commit can arrive long after its sender gave up.
   */
  partitionFor(direction: Direction, ms: number): void;
}

const delayMs = 300;

export async function startProxy(targetPort: number): Promise<PostgresProxy> {
  const links = new Set<Link>();
  const weather: Weather = { dropUntil: 0, delayUntil: 0, heldUntil: { there: 0, back: 0 } };
  let rule: CommitRule | null = null;
  const takeRule = (kind: TransactionKind | undefined) => {
    if (rule?.transaction !== kind) return null;
    const taken = rule;
    rule = null;
    return taken;
  };
  const server = createServer({ noDelay: true }, (client) => {
    const link = openLink(client, targetPort, weather, takeRule);
    links.add(link);
    client.on('close', () => links.delete(link));
  });
  await listen(server);

  return {
    port: portOf(server),
    breakNextCommit(next) {
      rule = next;
    },
    resetConnections() {
      const count = links.size;
      for (const link of links) link.reset();
      return count;
    },
    dropFor(ms) {
      weather.dropUntil = performance.now() + ms;
      for (const link of links) link.silence();
    },
    delayFor(ms) {
      weather.delayUntil = performance.now() + ms;
    },
    partitionFor(direction, ms) {
      weather.heldUntil[direction] = performance.now() + ms;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const link of links) link.reset();
      await once(server, 'close');
    },
  };
}

interface Weather {
  dropUntil: number;
  delayUntil: number;
  heldUntil: Record<Direction, number>;
}

interface Link {
  reset(): void;
  silence(): void;
}

/**
 * Reads the statements that a client sends, in order. `Parse` contains a prepared statement's text once; later uses
 * send only its name, in `Bind`.
 */
function createStatementReader(): (chunk: Buffer) => string[] {
  const texts = new Map<string, string>();
  // The first message has no type, and the client sends nothing else before the server answers.
  let rest: Buffer | undefined;
  return (chunk) => {
    if (!rest) {
      rest = Buffer.alloc(0);
      return [];
    }
    rest = Buffer.concat([rest, chunk]);
    const sent: string[] = [];
    while (rest.length > 4 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      const type = rest.toString('latin1', 0, 1);
      const [first = '', second = ''] = rest.toString('latin1', 5, end).split('\0', 2);
      rest = rest.subarray(end);
      if (type === 'P') texts.set(first, second);
      if (type === 'Q') sent.push(first);
      if (type === 'B') sent.push(texts.get(second) ?? '');
    }
    return sent;
  };
}

type TakeRule = (kind: TransactionKind | undefined) => CommitRule | null;

function openLink(client: Socket, targetPort: number, weather: Weather, takeRule: TakeRule): Link {
  const server = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
  let silent = performance.now() < weather.dropUntil;
  let kind: TransactionKind | undefined;
  const statementsIn = createStatementReader();
  let onAnswer: (() => void) | null = null;
  const reset = () => {
    resetSocket(client);
    resetSocket(server);
  };
  const wayOf = (direction: Direction) =>
    openWay(() => {
      const now = performance.now();
      return Math.max(now < weather.delayUntil ? delayMs : 0, weather.heldUntil[direction] - now);
    });
  const ways = { there: wayOf('there'), back: wayOf('back') };
  const pass = (direction: Direction, chunk: Buffer) => {
    const to = direction === 'there' ? server : client;
    ways[direction].pass(() => to.writable && to.write(chunk));
  };

  client.on('data', (chunk) => {
    if (silent) return;
    let rule: CommitRule | null = null;
    for (const text of statementsIn(chunk)) {
      if (/^begin\b/.test(text)) kind = undefined;
      kind = kindOfStatement(text) ?? kind;
      if (text === 'commit') rule ??= takeRule(kind);
    }
    if (rule?.moment === 'before') {
      rule.act();
      return reset();
    }
    if (rule) {
      onAnswer = () => {
        rule.act();
        reset();
      };
    }
    pass('there', chunk);
  });
  server.on('data', (chunk) => {
    if (silent) return;
    if (onAnswer) onAnswer();
    else pass('back', chunk);
  });
  for (const [one, other, way] of [
    [client, server, ways.there],
    [server, client, ways.back],
  ] as const) {
    one.on('error', () => way.pass(() => other.destroy()));
    // A silent link stays half open, so that the other end notices nothing.
    one.on('close', () => (silent && one === server ? undefined : way.pass(() => other.destroy())));
  }
  return {
    reset,
    silence() {
      silent = true;
    },
  };
}
