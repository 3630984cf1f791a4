import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { EmailTopic } from '../../../../accounts/people/email-topics.ts';
import { insertOptOuts } from '../../../../accounts/people/opt-out-store.ts';
import type { UnsubscribeLinks } from '../../../../accounts/people/unsubscribe-links.ts';
import type { Brand } from '../../../../base/brand/brand.ts';
import type { Database } from '../../../../base/db/database.ts';
import { hidden } from '../../../../base/http/schemas.ts';
import type { Log } from '../../../../base/std/log.ts';
import { html } from '../../../../base/std/markup/html.ts';
import { AppError } from '../../../../errors.ts';
import { answerWithPages } from '../../answer-with-pages.ts';
import { type Reader, readerOf, sayProblem } from '../../page-reader.ts';
import { sendPage, sharePage, wordsPage } from '../jobs/share-pages.ts';

const path = '/unsubscribe/:unsubscribe_token';
const maxBodyBytes = 2_000;

/** `GET` only shows a button, because mail scanners follow links. `POST` is from it or a mail program (RFC 8058). */
export function registerUnsubscribePages(
  server: FastifyInstance,
  {
    database,
    log,
    brand,
    links,
  }: { database: Database; log: Log; brand: { now(): Brand }; links: UnsubscribeLinks },
): void {
  const reader = (request: FastifyRequest, reply: FastifyReply) => readerOf(request, reply, brand.now());
  const open = async (params: unknown) => {
    const { unsubscribe_token: token } = params as { unsubscribe_token: string }; // as the path declares it
    const found = await links.read(database.read, token);
    if (!found) throw new AppError('not_found', 'There is no such link.');
    return { token, ...found };
  };
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The content of the body does not matter.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, _body, done) =>
      done(null),
    );
    answerWithPages(scope, {
      log,
      isForPeople: () => true,
      send: (problem, request, reply) => sendPage(reply, problemPage(reader(request, reply), problem)),
    });
    scope.get(path, hidden, async (request, reply) => {
      const { token, topics } = await open(request.params);
      return sendPage(reply, askPage(reader(request, reply), token, topics));
    });
    scope.post(path, { ...hidden, bodyLimit: maxBodyBytes }, async (request, reply) => {
      const { personId, topics } = await open(request.params);
      await database.transaction((tx) => insertOptOuts(tx, personId, topics));
      return sendPage(reply, donePage(reader(request, reply), topics));
    });
  });
}

function problemPage(reader: Reader, problem: AppError): string {
  const { say } = reader;
  const why =
    problem.code === 'not_found'
      ? say(
          'This link is not complete, or it is of an address that you have replaced. You turn emails off in your profile as well.',
        )
      : sayProblem(reader, problem);
  return wordsPage(reader, say('Nothing was turned off'), why);
}

function askPage(reader: Reader, token: string, topics: readonly EmailTopic[]): string {
  const { say } = reader;
  const title = say('No more emails about {topics}?', { topics: inWords(reader, topics) });
  return sharePage(
    reader,
    title,
    html`<main class="form"><h1>${title}</h1>
<p>${!topics.includes('margins') && `${say('This holds for all accounts of which you are a member.')} `}${say('Emails about your sign-in, payments and what you asked for go on.')}</p>
<form method="post" action="/unsubscribe/${token}"><button>${say('Turn them off')}</button></form>
</main>`,
  );
}

function donePage(reader: Reader, topics: readonly EmailTopic[]): string {
  const { say } = reader;
  const text = say(
    'You get no more emails about {topics}. Turn them on again in your profile, under “Emails”.',
    { topics: inWords(reader, topics) },
  );
  const more = html`<p><a href="/profile">${say('Open your profile')}</a></p>`;
  return wordsPage(reader, say('They are turned off'), text, more);
}

function inWords({ language, say }: Reader, topics: readonly EmailTopic[]): string {
  const words: Record<EmailTopic, string> = {
    balance: say('a low balance'),
    limits: say('spend limits'),
    keys: say('API keys that end soon'),
    margins: say('models that lose money'),
  };
  return new Intl.ListFormat(language === 'en' ? 'en-GB' : language).format(
    topics.map((topic) => words[topic]),
  );
}
