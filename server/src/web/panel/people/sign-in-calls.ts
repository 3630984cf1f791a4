import Type from 'typebox';
import { findAccount } from '../../../accounts/account-store.ts';
import { lookAtLink, openLink } from '../../../accounts/open-link.ts';
import { relyingPartyOf } from '../../../accounts/passkeys/relying-party.ts';
import { isAnyPasskey } from '../../../accounts/people/passkey-store.ts';
import { minPasswordLength } from '../../../accounts/people/password.ts';
import { findOperatorRole, isAnyPasswordSet } from '../../../accounts/people/people-store.ts';
import { challengeMs, enterCode, signIn } from '../../../accounts/sign-in/sign-in.ts';
import { closed } from '../../../base/http/schemas.ts';
import { toIso } from '../../../base/std/iso-time.ts';
import { type PanelCall, type PanelCallRequest, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { beginSession, beginWith } from './begin-session.ts';
import type { LinkInfo, SignInAnswer, SignUpOptions } from './contract.ts';
import { code, email, linkToken, password, personName } from './person-schemas.ts';
import { writeCookie } from './session-cookies.ts';

export function signInCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/sign-in', {
      access: 'anyone',
      handle: async () => ({
        oidc: deps.installation.oidc && { name: deps.installation.oidc.name },
        first_run: !(await isAnyPasswordSet(database.read)),
        passkeys: takesPasskeys(deps) && (await isAnyPasskey(database.read)),
        min_password_length: minPasswordLength,
        forgotten: deps.installation.mailsLinks,
        captcha: deps.captcha && { kind: deps.captcha.kind, site_key: deps.captcha.siteKey },
        sign_up: signUpOptions(deps),
      }),
    }),

    panelCall('POST /panel/sign-in', {
      access: 'anyone',
      body: closed({ email, password }),
      async handle(request) {
        return answerSignIn(deps, request, await signIn(deps, request.browser, request.body));
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
        if ('purpose' in link)
          return { kind: link.purpose, email: link.email, account_name: null, role: 'member', expires_at };
        const about = { email: null, account_name: null, expires_at };
        if (link.kind === 'sign_in') {
          const role = (await findOperatorRole(database.read, link.personId)) ? 'operator' : 'member';
          return { ...about, kind: 'sign_in', role };
        }
        if (link.accountId === null) return { ...about, kind: 'invitation', role: 'operator' };
        const account = await findAccount(database.read, link.accountId);
        return { ...about, kind: 'invitation', account_name: account?.name ?? null, role: 'member' };
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

function takesPasskeys({ publicUrl }: PanelDeps): boolean {
  return relyingPartyOf(publicUrl()) !== null;
}

function signUpOptions(deps: PanelDeps): SignUpOptions | null {
  const { signUp } = deps;
  if (!signUp) return null;
  return { open: signUp.mode === 'open', documents: signUp.documents, passkeys: takesPasskeys(deps) };
}

export async function answerSignIn(
  deps: PanelDeps,
  request: PanelCallRequest,
  signedIn: Awaited<ReturnType<typeof signIn>>,
): Promise<SignInAnswer> {
  if (signedIn.next === 'done') return { next: 'done', session: await beginSession(deps, request, signedIn) };
  const options = { publicUrl: deps.publicUrl(), maxAge: challengeMs / 1_000 };
  writeCookie(request.reply, 'code_for', signedIn.challenge, options);
  return { next: 'code_required' };
}
