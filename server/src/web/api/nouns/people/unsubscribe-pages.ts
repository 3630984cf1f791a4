import type { FastifyInstance } from 'fastify';
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
import { sendPage, sharePage, wordsPage } from '../jobs/share-pages.ts';

const path = '/unsubscribe/:unsubscribe_token';
/** The largest body of a form with one field, whose name the mail program chooses. */
const maxBodyBytes = 2_000;

/**
 * `GET` and `POST /unsubscribe/{token}`: turns off emails of one kind, for whoever has one of them. A `GET` only shows the button:
 * programs that look through emails follow every link. A `POST` does it, by the button or by a mail program (RFC 8058), which
 * sends a form from no page of ours.
 */
export function registerUnsubscribePages(
  server: FastifyInstance,
  {
    database,
    log,
    brand,
    links,
  }: { database: Database; log: Log; brand: { now(): Brand }; links: UnsubscribeLinks },
): void {
  const open = async (params: unknown) => {
    const { unsubscribe_token: token } = params as { unsubscribe_token: string }; // as the path has it
    const found = await links.read(database.read, token);
    if (!found) throw new AppError('not_found', unknown);
    return { token, ...found };
  };
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // What it says does not matter.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, _body, done) =>
      done(null),
    );
    answerWithPages(scope, {
      log,
      isForPeople: () => true,
      send: ({ message }, _request, reply) =>
        sendPage(reply, wordsPage(brand.now(), 'Nothing was turned off', message)),
    });
    scope.get(path, hidden, async ({ params }, reply) => {
      const { token, topics } = await open(params);
      return sendPage(reply, askPage(brand.now(), token, topics));
    });
    scope.post(path, { ...hidden, bodyLimit: maxBodyBytes }, async ({ params }, reply) => {
      const { personId, topics } = await open(params);
      await database.transaction((tx) => insertOptOuts(tx, personId, topics));
      return sendPage(reply, donePage(brand.now(), topics));
    });
  });
}

const unknown =
  'This link is not complete, or it is of an address that you have replaced. You turn emails off in your profile as well.';

const words: Record<EmailTopic, string> = {
  balance: 'a low balance',
  limits: 'spend limits',
  keys: 'API keys that end soon',
  margins: 'models that lose money',
};

function inWords(topics: readonly EmailTopic[]): string {
  const all = topics.map((topic) => words[topic]);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

function askPage(brand: Brand, token: string, topics: readonly EmailTopic[]): string {
  const title = `No more emails about ${inWords(topics)}?`;
  return sharePage(
    brand,
    title,
    html`<main class="form"><h1>${title}</h1>
<p>${topics.includes('margins') ? '' : 'This holds for all accounts of which you are a member. '}Emails about your sign-in, payments and what you asked for go on.</p>
<form method="post" action="/unsubscribe/${token}"><button>Turn them off</button></form>
</main>`,
  );
}

function donePage(brand: Brand, topics: readonly EmailTopic[]): string {
  const text = `You get no more emails about ${inWords(topics)}. Turn them on again in your profile, under “Emails”.`;
  return wordsPage(brand, 'They are turned off', text, html`<p><a href="/profile">Open your profile</a></p>`);
}
