import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface Mail {
  from: string;
  to: string[];
  content: string;
}

/** A server that takes emails, without TLS and passwords. */
export interface SmtpServer extends AsyncDisposable {
  url: string;
  port: number;
  taken: Mail[];
  /** The answer to an email, such as `450 busy`; null: the server accepts it. */
  answer: string | null;
  /** The answer to a user and a password; null: the server accepts them. */
  loginAnswer: string | null;
  /** Answers each `RCPT TO`; null: the server accepts it. */
  recipientAnswer: string | null;
  /** Emails to these addresses hang: they arrive whole, but are not answered until `release`. */
  hangs: Set<string>;
  hung(count: number): Promise<void>;
  /** Answers the commands that are hanging for this address. */
  release(to: string): void;
  /** Resolves when this many emails have been accepted in all. */
  got(count: number): Promise<Mail[]>;
  /**
   * Waits for `count` emails to this address, in order, without the welcome. A repeated email counts once, by its id.
   */
  mailsTo(email: string, count: number): Promise<Mail[]>;
  welcomesTo(email: string, count: number): Promise<Mail[]>;
}

const idOf = ({ content }: Mail) => /^Message-ID: (.*)$/im.exec(content)?.[1] ?? content;
const isWelcome = ({ content }: Mail) => /^Subject: Your account is ready$/m.test(content);

export async function startSmtpServer({ port = 0 } = {}): Promise<SmtpServer> {
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  const hanging: { to: string; answer: () => void }[] = [];
  const lookAll = () => {
    for (const look of waiting) look();
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    talk(socket, smtp, (mail, take) => {
      const answer = () => {
        take();
        lookAll();
      };
      const [to = ''] = mail.to;
      if (!smtp.hangs.has(to)) return answer();
      hanging.push({ to, answer });
      lookAll();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  const mailsOf = async (isMeant: (mail: Mail) => boolean, count: number) => {
    const mails = () => [...new Map(smtp.taken.filter(isMeant).map((mail) => [idOf(mail), mail])).values()];
    await until(() => mails().length >= count);
    return mails();
  };
  const smtp: SmtpServer = {
    url: `smtp://127.0.0.1:${bound.port}`,
    port: bound.port,
    taken: [],
    answer: null,
    loginAnswer: null,
    recipientAnswer: null,
    hangs: new Set(),
    hung: (count) => until(() => hanging.length >= count),
    release(to) {
      smtp.hangs.delete(to);
      for (const one of hanging.filter((each) => each.to === to)) {
        hanging.splice(hanging.indexOf(one), 1);
        one.answer();
      }
    },
    async got(count) {
      await until(() => smtp.taken.length >= count);
      return smtp.taken;
    },
    mailsTo: (email, count) => mailsOf((mail) => mail.to[0] === email && !isWelcome(mail), count),
    welcomesTo: (email, count) => mailsOf((mail) => mail.to[0] === email && isWelcome(mail), count),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return smtp;

  async function until(isSo: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => isSo() && resolve();
    waiting.add(look);
    look();
    await promise;
    waiting.delete(look);
  }
}

function talk(socket: Socket, smtp: SmtpServer, onCame: (mail: Mail, take: () => void) => void): void {
  let mail: Mail = { from: '', to: [], content: '' };
  let rest = '';
  let isContent = false;
  const say = (line: string) => socket.write(`${line}\r\n`);
  const hear = (line: string) => {
    const word = line.slice(0, 4).toUpperCase();
    if (word === 'EHLO' || word === 'HELO') say('250-here\r\n250 AUTH PLAIN');
    else if (word === 'AUTH') say(smtp.loginAnswer ?? '235 welcome');
    else if (word === 'MAIL') {
      mail = { from: line.slice(10), to: [], content: '' };
      say('250 sender');
    } else if (word === 'RCPT') {
      if (smtp.recipientAnswer === null) mail.to.push(/<(.*)>/.exec(line)?.[1] ?? '');
      say(smtp.recipientAnswer ?? '250 recipient');
    } else if (word === 'DATA') {
      isContent = true;
      say('354 go on');
    } else say(word === 'QUIT' ? '221 bye' : '250 fine');
  };
  say('220 ready');
  socket.on('data', (chunk) => {
    rest += chunk.toString();
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      if (!isContent) hear(line);
      else if (line === '.') {
        isContent = false;
        const came = mail;
        onCame(came, () => {
          if (smtp.answer === null) smtp.taken.push(came);
          say(smtp.answer ?? '250 taken');
        });
      } else mail.content += `${line}\n`;
    }
  });
}
