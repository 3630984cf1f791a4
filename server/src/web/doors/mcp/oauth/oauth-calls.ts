import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { exchangeCode, type GrantDeps } from '../../../../accounts/grants/exchange-code.ts';
import { programId, redirectMistake } from '../../../../accounts/grants/program.ts';
import { maxNameLength } from '../../../../accounts/name.ts';
import { problems } from '../../../../base/http/problems.ts';
import { hidden } from '../../../../base/http/schemas.ts';
import { toAppError } from '../../../../base/http/send-problem.ts';

export interface OAuthDeps extends GrantDeps {
  publicUrl(): string;
}

const resourcePath = '/.well-known/oauth-protected-resource/mcp';

export function challenge(publicUrl: string): string {
  return `Bearer resource_metadata="${publicUrl}${resourcePath}", scope="${scope}"`;
}

/** The only scope, because the person who grants a key chooses its rights. */
const scope = 'images';
const maxBodyBytes = 16 * 1024;
const maxRedirects = 10;
const maxRedirectLength = 500;

/** Serves OAuth 2.1 with PKCE. The page on which a person agrees is in the panel. */
export function registerOAuth(server: FastifyInstance, deps: OAuthDeps): void {
  server.register(async (scope) => {
    scope.setErrorHandler(sendOAuthError);
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxBodyBytes },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    for (const path of ['/.well-known/oauth-protected-resource', resourcePath])
      scope.get(path, hidden, async () => describeResource(deps.publicUrl()));
    scope.get('/.well-known/oauth-authorization-server', hidden, async () =>
      describeServer(deps.publicUrl()),
    );
    scope.post(
      '/oauth/register',
      { ...withBody(registrationSchema), bodyLimit: maxBodyBytes },
      (request, reply) => register(deps, request, reply),
    );
    scope.post('/oauth/token', { ...withBody(tokenSchema), bodyLimit: maxBodyBytes }, (request, reply) =>
      exchange(deps, request, reply),
    );
  });
}

const withBody = (body: object) => ({ schema: { hide: true, body } });

/** RFC 9728. */
function describeResource(publicUrl: string) {
  return {
    resource: `${publicUrl}/mcp`,
    resource_name: 'Darkroom',
    authorization_servers: [publicUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: [scope],
  };
}

/** RFC 8414. */
function describeServer(publicUrl: string) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: [scope],
    authorization_response_iss_parameter_supported: true,
  };
}

// Programs send many more fields, which are ignored.
const registrationSchema = Type.Object({
  redirect_uris: Type.Array(Type.String({ maxLength: maxRedirectLength }), {
    minItems: 1,
    maxItems: maxRedirects,
  }),
  client_name: Type.Optional(Type.String({ maxLength: 1_000 })),
});

/** Registers a program (RFC 7591). Stores nothing, so nothing needs to be removed. */
async function register({ grantSealer }: OAuthDeps, request: FastifyRequest, reply: FastifyReply) {
  const { redirect_uris: redirectUris, client_name } = request.body as Static<typeof registrationSchema>; // the schema has checked it
  for (const uri of redirectUris) {
    const mistake = redirectMistake(uri);
    if (mistake) return refuse(reply, 'invalid_redirect_uri', `${uri} ${mistake}.`);
  }
  const name = nameOf(client_name);
  return reply
    .code(201)
    .header('cache-control', 'no-store')
    .send({
      client_id: programId(grantSealer, { name, redirectUris }),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
}

function nameOf(text = ''): string {
  const name = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return name === '' ? 'A program' : name.slice(0, maxNameLength).trim();
}

const tokenSchema = Type.Object({
  grant_type: Type.String(),
  code: Type.Optional(Type.String()),
  redirect_uri: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  code_verifier: Type.Optional(Type.String()),
});

/** Exchanges a code for a token: an API key, which the panel lists, limits and revokes like any other. */
async function exchange(deps: OAuthDeps, request: FastifyRequest, reply: FastifyReply) {
  const asked = request.body as Static<typeof tokenSchema>; // the schema has checked it
  if (asked.grant_type !== 'authorization_code')
    return refuse(reply, 'unsupported_grant_type', 'Only authorization_code is known here.');
  const {
    code = '',
    redirect_uri: redirectUri = '',
    client_id: id = '',
    code_verifier: verifier = '',
  } = asked;
  const made = await exchangeCode(
    deps,
    { code, redirectUri, programId: id, verifier },
    request.clientAddress,
  );
  if (!made)
    return refuse(
      reply,
      'invalid_grant',
      'The code is not valid, was used before or is too old. Sign in again.',
    );
  return reply
    .header('cache-control', 'no-store')
    .send({ access_token: made.key, token_type: 'Bearer', scope });
}

function refuse(reply: FastifyReply, error: string, description: string): FastifyReply {
  return reply.code(400).header('cache-control', 'no-store').send({ error, error_description: description });
}

function sendOAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message } = toAppError(error, request);
  if (code === 'invalid_request') return refuse(reply, code, message);
  const { status } = problems[code];
  // A status below 500 is the program's fault, such as a body that is too long. `server_error` lets it try again.
  const word = status < 500 ? 'invalid_request' : 'server_error';
  return reply.code(status).send({ error: word, error_description: message });
}
