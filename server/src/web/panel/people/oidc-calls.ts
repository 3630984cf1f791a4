import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Vouched, withVouched } from '../../../accounts/people/vouched.ts';
import { authPath, clientAddressHeader, oidcProvider } from '../../../accounts/sign-in/auth-names.ts';
import { noteSignIn } from '../../../accounts/sign-in/note-sign-in.ts';
import { refusal } from '../../../accounts/sign-in/refusal.ts';
import { readNewSession } from '../../../accounts/sign-in/sessions.ts';
import { withinLimits } from '../../../accounts/sign-in/sign-in-limits.ts';
import {
  readStranger,
  sealStranger,
  signUpByProvider,
  strangerMs,
} from '../../../accounts/sign-up/sign-up-by-provider.ts';
import { closed, hidden } from '../../../base/http/schemas.ts';
import { AppError } from '../../../errors.ts';
import { addCookies } from '../../api/sessions.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { beginSession } from './begin-session.ts';
import { acceptedVersions } from './person-schemas.ts';
import { writeCookie } from './session-cookies.ts';

const errorPath = '/sign-in?error=oidc';
const strangerPath = '/sign-up/account';

export function oidcCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('POST /panel/sign-in/oidc', {
      access: 'anyone',
      body: closed({ return_to: Type.Optional(Type.String({ maxLength: 500 })) }),
      async handle({ body, browser, reply }) {
        if (!deps.installation.oidc) throw new AppError('not_found', 'No identity provider is configured.');
        const callbackURL = ownPath(body.return_to);
        const { headers, response } = await limited(deps, browser.address, async () => {
          const { api } = await deps.oidcAuth();
          return api
            .signInSocial({
              body: {
                provider: oidcProvider,
                callbackURL,
                errorCallbackURL: errorPath,
                disableRedirect: true,
              },
              headers: browser.headers,
              returnHeaders: true,
            })
            .catch((error: unknown) => {
              deps.forgetOidcAuth(); // its cached metadata may be from a time when the provider was down
              throw new AppError(
                'invalid_request',
                'The identity provider cannot be reached at the moment.',
                {},
                { cause: error },
              );
            });
        });
        if (response.url === undefined) throw new Error('no address to sign in at');
        addCookies(reply, headers.getSetCookie());
        return { url: response.url };
      },
    }),

    panelCall('POST /panel/sign-up/oidc/look', {
      access: 'anyone',
      async handle({ browser }) {
        return { email: readStranger(deps, browser.stranger).email };
      },
    }),

    panelCall('POST /panel/sign-up/oidc', {
      access: 'anyone',
      body: closed({ accepted: Type.Optional(acceptedVersions) }),
      async handle(asked) {
        const session = await beginSession(
          deps,
          asked,
          await signUpByProvider(deps, asked.browser, asked.body),
        );
        writeCookie(asked.reply, 'stranger', '', { publicUrl: deps.publicUrl(), maxAge: 0 });
        return session;
      },
    }),
  ];
}

const getOnly = { exposeHeadRoute: false, ...hidden };

/** Registers the path to which the identity provider returns, the library's only path that browsers can reach. */
export function registerOidcReturn(server: FastifyInstance, deps: PanelDeps): void {
  server.get(`${authPath}/callback/${oidcProvider}`, getOnly, async (request, reply) => {
    if (!deps.installation.oidc) throw new AppError('not_found', 'No identity provider is configured.');
    let stranger: string | null = null;
    const response = await limited(deps, request.clientAddress, () =>
      signInWithProvider(deps, request, async (vouched) => {
        stranger = await sealStranger(deps, vouched);
      }),
    ).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      if (!stranger) deps.log.warn('sign_in.refused', { with: 'single sign-on', code: error.code });
      return undefined;
    });
    if (stranger) {
      writeCookie(reply, 'stranger', stranger, { publicUrl: deps.publicUrl(), maxAge: strangerMs / 1_000 });
      return reply.header('cache-control', 'no-store').redirect(strangerPath, 303);
    }
    if (response) addCookies(reply, response.headers.getSetCookie());
    const target = response?.headers.get('location') ?? errorPath;
    return reply.header('cache-control', 'no-store').redirect(ownTarget(target, deps.publicUrl()), 303);
  });
}

/** Limits failed attempts, because each causes a request to the provider. */
function limited<T>({ database }: PanelDeps, address: string, work: () => Promise<T>): Promise<T> {
  return withinLimits(database, { kind: 'oidc', address, who: null, device: null }, work);
}

async function signInWithProvider(
  deps: PanelDeps,
  request: FastifyRequest,
  onStranger: (vouched: Vouched | null) => Promise<void>,
): Promise<Response> {
  const { handler } = await deps.oidcAuth();
  const { result: response, vouched } = await withVouched(() =>
    handler(toRequest(request, deps.publicUrl())),
  );
  const session = await readNewSession(deps, response.headers.getSetCookie());
  if (!session) {
    if (isUnknownHere(response)) await onStranger(vouched);
    throw refusal();
  }
  await noteSignIn(deps.database, { ...session.viewer, address: request.clientAddress }, 'single sign-on');
  return response;
}

/** The library's codes for people who are unknown here, or known only by an unconfirmed address. */
const unknownHere = ['signup_disabled', 'account_not_linked'];

function isUnknownHere(response: Response): boolean {
  const errors = URL.parse(response.headers.get('location') ?? '', 'http://localhost')?.searchParams.getAll(
    'error',
  );
  return errors?.some((error) => unknownHere.includes(error)) ?? false;
}

function toRequest({ raw, headers, clientAddress }: FastifyRequest, publicUrl: string): Request {
  const handed = new Headers({ [clientAddressHeader]: clientAddress });
  for (const name of ['cookie', 'user-agent'] as const) {
    const value = headers[name];
    if (value !== undefined) handed.set(name, value);
  }
  return new Request(new URL(raw.url ?? '/', publicUrl), { headers: handed });
}

/** Allows redirects only to our own pages, even if the library returns others. */
function ownTarget(location: string, publicUrl: string): string {
  const target = new URL(location, publicUrl);
  const isOwn = target.origin === new URL(publicUrl).origin && !target.searchParams.has('error');
  return isOwn && isOwnPath(target.pathname) ? `${target.pathname}${target.search}` : errorPath;
}

// Matches our own paths, but not `//elsewhere` and `/\\elsewhere`, which browsers take for another host.
const ownPathPattern = /^\/(?![/\\])[\x21-\x7e]*$/;

/** Whether this is a path of ours even after a browser has resolved dots, as `/.//elsewhere` becomes `//elsewhere`. */
function isOwnPath(text: string): boolean {
  if (!ownPathPattern.test(text) || text.includes('\\')) return false;
  return ownPathPattern.test(new URL(text, 'http://localhost').pathname);
}

function ownPath(text = '/'): string {
  if (isOwnPath(text)) return text;
  const detail = 'must be a path of the panel.';
  throw new AppError('invalid_request', `return_to ${detail}`, {
    errors: [{ pointer: '/return_to', detail }],
  });
}
