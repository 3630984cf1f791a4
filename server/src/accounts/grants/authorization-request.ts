import type { Sealer } from '../../base/std/sealer.ts';
import { AppError } from '../../errors.ts';
import { mayReturnTo, type Program, readProgram } from './program.ts';

/** Parameters of the page on which a person grants a program access (RFC 6749, 7636, 8707). */
export interface AuthorizationRequest {
  client_id: string;
  redirect_uri: string;
  response_type: string;
  code_challenge: string;
  code_challenge_method: string;
  state?: string;
  resource?: string;
}

/** @throws AppError `invalid_request`, after which no part of the request is safe to use, not even the redirect URI */
export function readAuthorization(
  sealer: Sealer,
  asked: AuthorizationRequest,
  publicUrl: string,
): { program: Program; codeChallenge: string } {
  const program = readProgram(sealer, asked.client_id);
  if (!program)
    throw wrong('This program is not known here. Remove the connection in the program and add it again.');
  if (!mayReturnTo(program, asked.redirect_uri))
    throw wrong('The program asks to return to an address that it did not register.');
  if (asked.response_type !== 'code') throw wrong('The program requests something other than a code.');
  if (asked.code_challenge_method !== 'S256' || !challengePattern.test(asked.code_challenge))
    throw wrong('The program does not protect its code with PKCE (S256).');
  if (asked.resource !== undefined && !isOurs(asked.resource, publicUrl))
    throw wrong(
      `The program requests access to ${asked.resource}, which is not this server: the address here is ${publicUrl}.`,
    );
  return { program, codeChallenge: asked.code_challenge };
}

/** Builds the URL that leads back to the program, with its state and the issuer (RFC 9207). */
export function returnAddress(
  { redirect_uri, state }: AuthorizationRequest,
  answer: { code: string } | { error: string },
  publicUrl: string,
): string {
  const url = new URL(redirect_uri);
  for (const [name, value] of Object.entries({ ...answer, state, iss: publicUrl })) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

const challengePattern = /^[A-Za-z0-9_-]{43}$/;

function isOurs(resource: string, publicUrl: string): boolean {
  return [publicUrl, `${publicUrl}/`, `${publicUrl}/mcp`].includes(resource);
}

function wrong(detail: string): AppError {
  return new AppError('invalid_request', detail);
}
