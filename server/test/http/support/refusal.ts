import assert from 'node:assert/strict';
import type { ErrorCode } from '../../../src/errors.ts';
import type { Reply, World } from '../../world/world.ts';
import type { RawReply } from './raw-client.ts';
import { readSnapshot } from './snapshot.ts';

/** The fields that a problem document may have; others would reveal internals. */
const problemFields = new Set([
  'limit',
  'type',
  'title',
  'status',
  'detail',
  'code',
  'errors',
  'available',
  'required',
  'request_id',
]);

export async function assertRefused(
  world: World,
  send: () => Promise<Reply>,
  status: number,
  code: ErrorCode,
): Promise<Reply> {
  const before = await readSnapshot(world);
  const reply = await send();
  assertProblem(reply, status, code);
  assert.deepEqual(await readSnapshot(world), before, 'a refused request changed something');
  return reply;
}

/** Asserts a problem document as documented, and nothing more. */
export function assertProblem({ status, headers, body }: Reply, expected: number, code: ErrorCode): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.equal(body.code, code, JSON.stringify(body));
  assert.equal(body.status, expected);
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.ok(String(body.type).endsWith(`/docs/errors/${code}`), String(body.type));
  assert.match(String(body.title), /\w/);
  assert.match(String(body.detail), /^\S.*\.$/s);
  assert.equal(headers.get('x-request-id'), body.request_id);
  assert.match(String(body.request_id), /^req_/);
  for (const field of Object.keys(body)) assert.ok(problemFields.has(field), `unexpected field ${field}`);
}

export function assertRawProblem(reply: RawReply | undefined, expected: number, code: ErrorCode): void {
  assert.ok(reply, 'there was no answer');
  const { status, headers, body } = reply;
  assertProblem({ status, headers: new Headers([...headers]), body: JSON.parse(body) }, expected, code);
}

export function pointersOf({ body }: Reply): string[] {
  const { errors } = body as { errors?: { pointer: string; detail: string }[] }; // the documented shape, asserted below
  assert.ok(errors && errors.length > 0, `no "errors" in ${JSON.stringify(body)}`);
  for (const { detail } of errors) assert.match(detail, /\.$/);
  return errors.map(({ pointer }) => pointer);
}
