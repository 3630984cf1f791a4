import Type from 'typebox';
import { changeCredentials } from '../../../accounts/change-credentials.ts';
import { emailTopics } from '../../../accounts/people/email-topics.ts';
import { languages } from '../../../accounts/people/language.ts';
import { chooseLanguage } from '../../../accounts/people/language-store.ts';
import { listOptOuts, replaceOptOuts } from '../../../accounts/people/opt-out-store.ts';
import { readOwnData } from '../../../accounts/read-own-data.ts';
import {
  confirmAuthenticator,
  removeAuthenticator,
  setUpAuthenticator,
} from '../../../accounts/sign-in/authenticator.ts';
import { endOwnSessions } from '../../../accounts/sign-in/end-own-sessions.ts';
import { listSessions } from '../../../accounts/sign-in/session-store.ts';
import { insertAuditEntry } from '../../../base/audit/audit-store.ts';
import { closed, nullableOneOf, oneOf } from '../../../base/http/schemas.ts';
import { deleteOneself } from '../../../jobs/upkeep/people/delete-oneself.ts';
import { sendsEmails } from '../../../notify/webhooks/mail/email-store.ts';
import { ownPassword } from '../../api/nouns/people/own-password.ts';
import { addCookies } from '../../api/sessions.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { beginWith } from './begin-session.ts';
import type { EmailChoices } from './contract.ts';
import { code, email, password, personName } from './person-schemas.ts';
import { presentOpenSession, presentSession } from './present-session.ts';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function sessionCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/session', {
      access: 'person',
      handle: ({ viewer }) => presentSession(deps, viewer),
    }),

    panelCall('POST /panel/sign-out', {
      access: 'person',
      async handle({ viewer, browser, reply }) {
        const entry = { action: 'person.signed_out' as const, accountId: null, subject: null, detail: {} };
        await database.transaction((tx) => insertAuditEntry(tx, viewer, entry));
        const { api } = await deps.auth();
        const { headers } = await api.signOut({ headers: browser.headers, returnHeaders: true });
        addCookies(reply, headers.getSetCookie());
        return null;
      },
    }),

    panelCall('POST /panel/session/credentials', {
      access: 'person',
      body: closed({
        name: Type.Optional(personName),
        email: Type.Optional(email),
        password: Type.Optional(password),
        current_password: Type.Optional(password),
      }),
      async handle({ viewer, browser, body }) {
        await changeCredentials(deps, { viewer, address: browser.address }, body);
        return presentSession(deps, viewer);
      },
    }),

    panelCall('POST /panel/session/authenticator', {
      access: 'person',
      body: closed({ password }),
      handle: ({ viewer, browser, body }) => setUpAuthenticator(deps, { viewer, browser }, body.password),
    }),

    panelCall('POST /panel/session/authenticator/confirm', {
      access: 'person',
      body: closed({ code }),
      async handle(request) {
        const { viewer, browser, body } = request;
        return beginWith(
          deps,
          request,
          await confirmAuthenticator(deps, { viewer, browser }, body.code.trim()),
        );
      },
    }),

    panelCall('POST /panel/session/authenticator/remove', {
      access: 'person',
      body: closed({ password }),
      async handle(request) {
        const { viewer, browser, body } = request;
        return beginWith(deps, request, await removeAuthenticator(deps, { viewer, browser }, body.password));
      },
    }),

    panelCall('POST /panel/session/end-others', {
      access: 'person',
      body: ownPassword,
      async handle({ viewer, browser: { address }, body: { current_password: password } }) {
        await endOwnSessions(database, { viewer, address }, { sessionId: null, password });
        return null;
      },
    }),

    panelCall('GET /panel/session/emails', {
      access: 'person',
      handle: ({ viewer }) => readChoices(deps, viewer.personId),
    }),

    panelCall('POST /panel/session/emails', {
      access: 'person',
      body: closed({ off: Type.Array(oneOf(emailTopics), { maxItems: emailTopics.length }) }),
      async handle({ viewer: { personId }, body: { off } }) {
        await database.transaction((tx) => replaceOptOuts(tx, personId, [...new Set(off)]));
        return readChoices(deps, personId);
      },
    }),

    panelCall('POST /panel/session/language', {
      access: 'person',
      body: closed({ language: nullableOneOf(languages) }),
      async handle({ viewer, body: { language } }) {
        await database.transaction((tx) => chooseLanguage(tx, viewer.personId, language));
        return null;
      },
    }),

    panelCall('GET /panel/session/data', {
      access: 'person',
      handle: ({ viewer }) => readOwnData(database.reports, viewer.personId),
    }),

    panelCall('POST /panel/session/delete', {
      access: 'person',
      body: closed({ ...ownPassword.properties, give_up_balance: Type.Optional(Type.Boolean()) }),
      async handle({ viewer, browser: { address }, body }) {
        const { current_password: password, give_up_balance: givesUpBalance = false } = body;
        const { currency } = deps.installation;
        await deleteOneself({ database, currency }, { viewer, address }, { password, givesUpBalance });
        return null;
      },
    }),

    panelCall('GET /panel/session/sessions', {
      access: 'person',
      async handle({ viewer }) {
        const sessions = await listSessions(database.read, viewer.personId);
        return { data: sessions.map((session) => presentOpenSession(session, viewer)) };
      },
    }),

    panelCall('POST /panel/session/sessions/:session_id/end', {
      access: 'person',
      body: ownPassword,
      async handle({ viewer, browser: { address }, params, body: { current_password: password } }) {
        await endOwnSessions(database, { viewer, address }, { sessionId: params.session_id, password });
        return null;
      },
    }),
  ];
}

async function readChoices({ database: { read } }: PanelDeps, personId: string): Promise<EmailChoices> {
  const [off, sends] = await Promise.all([listOptOuts(read, personId), sendsEmails(read)]);
  return { off, sends };
}
