import type { FastifySchema } from 'fastify';
import Type, { type TSchema } from 'typebox';
import { problems } from '../../base/http/problems.ts';
import { idempotencyHeader } from '../../base/http/request-headers.ts';
import { closedQuery, named, problemSchema } from '../../base/http/schemas.ts';
import type { ErrorCode } from '../../errors.ts';
import { type CallDescription, statusOf } from './api-call.ts';

// Fastify reads a body only for calls that declare one, so calls with `bodyOf` declare this schema.
const anyBody = {};

const always = [
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'key_missing',
  'key_invalid',
  'invalid_request',
  'too_many_requests',
  'internal',
  'database_unavailable',
  'shutting_down',
] as const;
const ofTokens = ['token_forbidden', 'origin_refused'] as const;

const ofKeptAnswers = ['idempotency_key_reused', 'idempotency_key_in_use'] as const;
const ofBodies = ['unsupported_media_type', 'body_too_large'] as const;
const keptHeader = idempotencyHeader(
  'A fresh UUID. Repeating the same key and request within a day does nothing, and gets the first answer.',
);

const noContent = 204;

/** Returns the schemas that Fastify applies. Everything else in a description is only for the OpenAPI document. */
export function checksOf(call: CallDescription): FastifySchema {
  const { body, bodyOf, params, query } = call;
  return {
    ...(body && !call.content && { body }),
    ...(bodyOf && { body: anyBody }),
    ...(params && { params }),
    querystring: closedQuery(query),
    response: successesOf(call),
  };
}

/** @param door the errors for keys that may not make this call */
export function schemaOf(call: CallDescription, door: readonly ErrorCode[] = ofTokens): FastifySchema {
  const { operationId, summary, description, tag, body, bodyOf, content, params, query, errors = [] } = call;
  const isKept = call.idempotency === 'kept';
  const ofBody = body || bodyOf ? ofBodies : [];
  const headers = { ...(isKept && keptHeader), ...call.headers };
  const codes = [...always, ...door, ...(isKept ? ofKeptAnswers : []), ...ofBody, ...errors];
  const byStatus = Map.groupBy(new Set(codes), (code) => problems[code].status);
  const failures = [...byStatus].map(([failure, list]) => [
    failure,
    {
      description: list.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
      content: { 'application/problem+json': { schema: named(problemSchema) } },
    },
  ]);
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    security: [{ key: [] }],
    ...(body && { body }),
    ...(bodyOf && { body: anyBody, hide: true }),
    ...(content && { body: { content } }),
    ...(params && { params }),
    querystring: closedQuery(query),
    response: { ...successesOf(call), ...Object.fromEntries(failures) },
    ...(isAny(headers) && { 'x-headers': headers }),
  } as FastifySchema;
}

function successesOf(call: CallDescription): object {
  const status = statusOf(call);
  const { reply, otherReplies = {}, replyType = 'application/json', otherTypes = {} } = call;
  const headers = {
    ...(call.idempotency === 'kept' && {
      'idempotent-replayed':
        '`true` if this answer repeats that of an earlier request, and nothing was done.',
    }),
    ...(call.makes !== undefined && { location: 'Where it is.' }),
    ...call.replyHeaders,
  };
  return {
    [status]:
      status === noContent
        ? reply // the type is null: an answer without a schema has no content either
        : {
            description: 'Success.',
            ...(isAny(headers) && { headers: documentHeaders(headers) }),
            content: contentOf({ [replyType]: reply, ...otherTypes }),
          },
    ...Object.fromEntries(
      Object.entries(otherReplies).map(([other, { description, schema }]) => [
        other,
        schema
          ? { description, content: contentOf({ 'application/json': schema }) }
          : Type.Null({ description }),
      ]),
    ),
  };
}

function isAny(headers: object): boolean {
  return Object.keys(headers).length > 0;
}

function contentOf(schemas: Record<string, TSchema>): object {
  return Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]));
}

function documentHeaders(headers: Record<string, string>): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { type: 'string', description }]),
  );
}
