import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { authPath, clientAddressHeader, oidcProvider } from '../accounts/people/auth-names.ts';
import { noteSignIn } from '../accounts/people/note-sign-ins.ts';
import { readNewSession } from '../accounts/people/sessions.ts';
import { AppError } from '../errors.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { addCookies } from '../http/register-panel.ts';
import { closed } from '../http/schemas.ts';
import type { PanelDeps } from './panel-deps.ts';

/** Where a sign-in that did not work ends. */
const errorPath = '/sign-in?error=oidc';

/** The way to the identity provider. */
export function oidcRoutes(deps: PanelDeps): PanelRoute[] {
  return [
    panelCall('POST /panel/sign-in/oidc', {
      access: 'anyone',
      body: closed({ return_to: Type.Optional(Type.String({ maxLength: 500 })) }),
      async handle({ body, browser, reply }) {
        if (!deps.installation.oidc) throw new AppError('not_found', 'No identity provider is configured.');
        const { api } = await deps.oidcAuth();
        const { headers, response } = await api
          .signInSocial({
            body: {
              provider: oidcProvider,
              callbackURL: ownPath(body.return_to),
              errorCallbackURL: errorPath,
              disableRedirect: true,
            },
            headers: browser.headers,
            returnHeaders: true,
          })
          .catch((error: unknown) => {
            deps.forgetOidcAuth(); // it read the provider's addresses once, and perhaps the provider was away
            throw new AppError(
              'invalid_request',
              'The identity provider cannot be reached at the moment.',
              {},
              { cause: error },
            );
          });
        if (response.url === undefined) throw new Error('no address to sign in at');
        addCookies(reply, headers.getSetCookie());
        return { url: response.url };
      },
    }),
  ];
}

const hidden = { schema: { hide: true } as object };

/** The way back: the only address of the library that browsers reach. */
export function registerOidcReturn(server: FastifyInstance, deps: PanelDeps): void {
  server.get(`${authPath}/callback/${oidcProvider}`, hidden, async (request, reply) => {
    if (!deps.installation.oidc) throw new AppError('not_found', 'No identity provider is configured.');
    const { handler } = await deps.oidcAuth();
    const response = await handler(toRequest(request, deps.publicUrl()));
    await noteReturn(deps, request, response);
    return relay(reply, response, deps.publicUrl());
  });
}

async function noteReturn(
  deps: PanelDeps,
  { clientAddress: address }: FastifyRequest,
  { headers }: Response,
): Promise<void> {
  const session = await readNewSession(deps, headers.getSetCookie());
  if (!session) return deps.log.warn('sign_in.refused', { with: 'single sign-on' });
  await noteSignIn(deps.database, { ...session.viewer, address }, 'single sign-on');
}

function toRequest({ raw, headers, clientAddress }: FastifyRequest, publicUrl: string): Request {
  const handed = new Headers({ [clientAddressHeader]: clientAddress });
  for (const name of ['cookie', 'user-agent'] as const) {
    const value = headers[name];
    if (value !== undefined) handed.set(name, value);
  }
  return new Request(new URL(raw.url ?? '/', publicUrl), { headers: handed });
}

/** Only a way to our own pages is passed on, whatever the library answers. */
function relay(reply: FastifyReply, response: Response, publicUrl: string): FastifyReply {
  addCookies(reply, response.headers.getSetCookie());
  const target = new URL(response.headers.get('location') ?? errorPath, publicUrl);
  const isOwn = target.origin === new URL(publicUrl).origin && !target.searchParams.has('error');
  return reply
    .header('cache-control', 'no-store')
    .redirect(isOwn ? `${target.pathname}${target.search}` : errorPath, 303);
}

// A path of ours: neither `//elsewhere` nor `/\elsewhere`, which browsers read as another host.
const ownPathPattern = /^\/(?![/\\])[\x21-\x7e]*$/;

function ownPath(text = '/'): string {
  if (ownPathPattern.test(text) && !text.includes('\\')) return text;
  const detail = 'must be a path of the panel.';
  throw new AppError('invalid_request', `return_to ${detail}`, {
    errors: [{ pointer: '/return_to', detail }],
  });
}
