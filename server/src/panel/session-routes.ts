import Type from 'typebox';
import { insertAuditEntry } from '../accounts/audit-store.ts';
import {
  confirmAuthenticator,
  removeAuthenticator,
  setUpAuthenticator,
} from '../accounts/people/authenticator.ts';
import { changeCredentials } from '../accounts/people/change-credentials.ts';
import { endSessions } from '../accounts/people/people-store.ts';
import { beginWith } from '../http/begin-session.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { addCookies } from '../http/register-panel.ts';
import { closed } from '../http/schemas.ts';
import type { PanelDeps } from './panel-deps.ts';
import { code, email, password, personName } from './person-schemas.ts';
import { presentSession } from './present-session.ts';

/** The session that is open, and what a person changes of themselves. */
export function sessionRoutes(deps: PanelDeps): PanelRoute[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/session', {
      access: 'person',
      handle: ({ viewer }) => presentSession(deps, viewer),
    }),

    panelCall('POST /panel/sign-out', {
      access: 'person',
      async handle({ viewer, browser, reply }) {
        const detail = { address: browser.address };
        const entry = { action: 'person.signed_out', accountId: null, subject: null, detail };
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
      async handle({ viewer }) {
        await database.transaction(async (tx) => {
          await endSessions(tx, viewer.personId, { except: viewer.token });
          const entry = { action: 'sessions.ended', accountId: null, subject: viewer.personId, detail: {} };
          await insertAuditEntry(tx, viewer, entry);
        });
        return null;
      },
    }),
  ];
}
