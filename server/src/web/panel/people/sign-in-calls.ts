import Type from 'typebox';
import { findAccount } from '../../../accounts/account-store.ts';
import { lookAtLink, openLink } from '../../../accounts/open-link.ts';
import { minPasswordLength } from '../../../accounts/people/password.ts';
import { findOperatorRole, isAnyPasswordSet } from '../../../accounts/people/people-store.ts';
import { challengeMs, enterCode, signIn } from '../../../accounts/sign-in/sign-in.ts';
import { closed } from '../../../base/http/schemas.ts';
import { toIso } from '../../../base/std/iso-time.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { beginSession, beginWith } from './begin-session.ts';
import type { LinkInfo } from './contract.ts';
import { code, email, linkToken, password, personName } from './person-schemas.ts';
import { writeCookie } from './session-cookies.ts';

/** Signing in and one-time links: the calls open to anyone. */
export function signInCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/sign-in', {
      access: 'anyone',
      handle: async () => ({
        oidc: deps.installation.oidc && { name: deps.installation.oidc.name },
        first_run: !(await isAnyPasswordSet(database.read)),
        min_password_length: minPasswordLength,
      }),
    }),

    panelCall('POST /panel/sign-in', {
      access: 'anyone',
      body: closed({ email, password }),
      async handle(request) {
        const signedIn = await signIn(deps, request.browser, request.body);
        if (signedIn.next === 'done')
          return { next: 'done', session: await beginSession(deps, request, signedIn) };
        const options = { publicUrl: deps.publicUrl(), maxAge: challengeMs / 1_000 };
        writeCookie(request.reply, 'code_for', signedIn.challenge, options);
        return { next: 'code_required' };
      },
    }),

    panelCall('POST /panel/sign-in/code', {
      access: 'anyone',
      body: closed({ code }),
      async handle(request) {
        const session = await beginSession(
          deps,
          request,
          await enterCode(deps, request.browser, request.body.code.trim()),
        );
        writeCookie(request.reply, 'code_for', '', { publicUrl: deps.publicUrl(), maxAge: 0 });
        return session;
      },
    }),

    panelCall('POST /panel/links/look', {
      access: 'anyone',
      body: closed({ token: linkToken }),
      async handle({ body }): Promise<LinkInfo> {
        const link = await lookAtLink(deps, body.token);
        const expires_at = toIso(link.expiresAt);
        if (link.kind === 'sign_in') {
          const role = (await findOperatorRole(database.read, link.personId)) ? 'operator' : 'member';
          return { kind: 'sign_in', account_name: null, role, expires_at };
        }
        if (link.accountId === null)
          return { kind: 'invitation', account_name: null, role: 'operator', expires_at };
        const account = await findAccount(database.read, link.accountId);
        return { kind: 'invitation', account_name: account?.name ?? null, role: 'member', expires_at };
      },
    }),

    panelCall('POST /panel/links/open', {
      access: 'anyone',
      body: closed({
        token: linkToken,
        name: Type.Optional(personName),
        email: Type.Optional(email),
        password: Type.Optional(password),
      }),
      async handle(request) {
        const { cookies } = await openLink(deps, request.browser, request.body);
        return beginWith(deps, request, cookies);
      },
    }),
  ];
}
