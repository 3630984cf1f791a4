import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

export type DnsType = 'A' | 'AAAA';

/** `silent`: no answer. A delay: a late answer. An alias: another name, which has no address. */
export type DnsAnswer =
  | { addresses: string[]; delayMs?: number }
  | 'alias'
  | 'nxdomain'
  | 'servfail'
  | 'silent';

/** Answers one question; `nth` counts the questions for this name and type, from 1. */
export type Zone = (name: string, type: DnsType, nth: number) => DnsAnswer;

export interface DnsServer extends AsyncDisposable {
  address: string;
  questions(name: string): number;
}

/** A small authoritative name server over UDP, with a time to live of 0, so that nothing is cached. */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();

  socket.on('message', (query, from) => {
    const question = readQuestion(query);
    const key = `${question.type} ${question.name}`;
    const nth = (asked.get(key) ?? 0) + 1;
    asked.set(key, nth);
    const answer = question.type === 'other' ? { addresses: [] } : zone(question.name, question.type, nth);
    if (answer === 'silent') return;
    const reply = writeReply(query, question, answer);
    const delayMs = typeof answer === 'object' ? (answer.delayMs ?? 0) : 0;
    if (delayMs === 0) send(reply, from);
    else timers.add(setTimeout(() => send(reply, from), delayMs));
  });

  function send(reply: Buffer, from: RemoteInfo): void {
    socket.send(reply, from.port, from.address);
  }

  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions: (name) => (asked.get(`A ${name}`) ?? 0) + (asked.get(`AAAA ${name}`) ?? 0),
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      socket.close();
      await once(socket, 'close');
    },
  };
}

interface Question {
  name: string;
  type: DnsType | 'other';
  end: number;
}

const headerBytes = 12;
const typeNumbers = { A: 1, CNAME: 5, AAAA: 28 } as const;
/** The question's name with `real.` before it. */
const aliasBytes = Buffer.from([4, ...Buffer.from('real'), 0xc0, headerBytes]);

function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let offset = headerBytes;
  for (let length = query.readUInt8(offset); length > 0; length = query.readUInt8(offset)) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  const number = query.readUInt16BE(offset + 1);
  const type = number === typeNumbers.A ? 'A' : number === typeNumbers.AAAA ? 'AAAA' : 'other';
  return { name: labels.join('.').toLowerCase(), type, end: offset + 5 };
}

function writeReply(query: Buffer, question: Question, answer: Exclude<DnsAnswer, 'silent'>): Buffer {
  const addresses = typeof answer === 'object' ? answer.addresses : [];
  const records =
    answer === 'alias'
      ? [writeRecord(typeNumbers.CNAME, aliasBytes)]
      : addresses
          .filter((address) => address.includes(':') === (question.type === 'AAAA'))
          .map((address) =>
            address.includes(':')
              ? writeRecord(typeNumbers.AAAA, ipv6Bytes(address))
              : writeRecord(typeNumbers.A, Buffer.from(address.split('.').map(Number))),
          );
  const header = Buffer.from(query.subarray(0, headerBytes));
  const code = answer === 'nxdomain' ? 3 : answer === 'servfail' ? 2 : 0;
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(headerBytes, question.end), ...records]);
}

function writeRecord(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc000 | headerBytes, 0); // a pointer to the question's name
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(0, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function ipv6Bytes(address: string): Buffer {
  const [left = '', right] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const middle = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...head, ...middle, ...tail].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  return bytes;
}
