import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { openWay } from './harm/way.ts';
import { listen, portOf } from './listen.ts';
import type { Direction, Moment, TransactionKind } from './plan.ts';
import { resetSocket } from './reset-socket.ts';
import { kindOfStatement } from './statements.ts';

/** The harm at the next COMMIT of this kind that passes through the process's proxy. */
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
  /** Silences all connections of this time for good: as with a pulled cable, neither side notices. */
  dropFor(ms: number): void;
  delayFor(ms: number): void;
  /**
   * Blocks one direction for this time, including closes. Afterwards everything passes, because TCP resends lost data,
   * so a commit can arrive long after its sender gave up.
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

// A statement's text is sent once as `P`, length, name, text. Later uses send only `B`, length, portal, name.
const parsed = /P[\s\S]{4}(\w+)\0([^\0]+)\0/g;
const bound = /B[\s\S]{4}\0(\w+)\0/g;

/** Finds the kind of a connection's transactions by the texts or prepared names of its statements. */
function createKindReader(): (sent: string) => TransactionKind | undefined {
  const kinds = new Map<string, TransactionKind>();
  return (sent) => {
    for (const [, name = '', text = ''] of sent.matchAll(parsed)) {
      const kind = kindOfStatement(text);
      if (kind) kinds.set(name, kind);
    }
    for (const [, name = ''] of sent.matchAll(bound)) {
      const kind = kinds.get(name);
      if (kind) return kind;
    }
    return kindOfStatement(sent);
  };
}

type TakeRule = (kind: TransactionKind | undefined) => CommitRule | null;

function openLink(client: Socket, targetPort: number, weather: Weather, takeRule: TakeRule): Link {
  const server = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
  let silent = performance.now() < weather.dropUntil;
  let kind: TransactionKind | undefined;
  const kindIn = createKindReader();
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
    const text = chunk.toString('latin1');
    if (/\bbegin\0/.test(text)) kind = undefined;
    kind = kindIn(text) ?? kind;
    const rule = /\bcommit\0/.test(text) ? takeRule(kind) : null;
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
