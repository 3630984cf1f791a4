import { createHmac, hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../errors.ts';
import type { Database } from '../../db/database.ts';
import { Overloaded } from '../../std/overloaded.ts';
import { createSealer, deriveKey } from '../../std/sealer.ts';
import { problems } from '../problems.ts';
import { idempotencyKey } from '../request-headers.ts';
import { beginAnswer, forgetAnswer, writeAnswer } from './kept-answer-store.ts';

/** Keeps answers to requests with an `Idempotency-Key` for a day. A repeat gets the first answer. */
export interface KeptAnswers {
  /**
   * Runs `work`, or returns the kept answer. `who` names the caller, so two callers can use the same key.
   * @throws AppError `idempotency_key_reused`, `idempotency_key_in_use`
   */
  once(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: { who: string; work: () => Promise<unknown> },
  ): Promise<unknown>;
}

/** The longest time that a request takes. If the first request has no kept answer by then, its answer is lost. */
const underWayMs = 60_000;

interface KeepAnswersDeps {
  database: Database;
  /** The current secret, then older ones, under which earlier requests may have been recorded. */
  secrets: readonly string[];
}

/** `id` comes from the caller and its key. `fingerprints` are those under which the request may be recorded. */
interface AskedRequest {
  id: string;
  fingerprints: readonly [current: string, ...older: string[]];
}

interface Answer {
  status: number;
  body: unknown;
}

/** Records a request before its work. After a crash, a repeat is refused, because nobody knows what was done. */
export function keepAnswers({ database, secrets }: KeepAnswersDeps): KeptAnswers {
  const sealer = createSealer(secrets, 'darkroom kept answers');
  const keys = secrets.map((secret) => deriveKey(secret, 'darkroom kept requests').key);
  return {
    async once(request, reply, { who, work }) {
      const key = idempotencyKey(request);
      if (key === null) return work();
      const asked = { id: digest([who, key]), fingerprints: fingerprintsOf(request) };
      const known = await readKnown(asked);
      if (known) {
        reply.code(known.status).header('idempotent-replayed', 'true');
        return known.body;
      }
      const body = await work().catch(async (error: unknown) => {
        if (isRefusal(error)) await database.transaction((tx) => forgetAnswer(tx, asked.id));
        throw error;
      });
      const answer: Answer = { status: reply.statusCode, body };
      const sealed = sealer.seal(JSON.stringify(answer), asked.id);
      await database.transaction((tx) => writeAnswer(tx, asked.id, sealed));
      return body;
    },
  };

  async function readKnown({ id, fingerprints }: AskedRequest): Promise<Answer | undefined> {
    const [fingerprint] = fingerprints;
    const known = await database.transaction((tx) => beginAnswer(tx, { id, fingerprint }));
    if (!known) return undefined;
    if (!fingerprints.includes(known.fingerprint))
      throw new AppError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another request. Use a new key for a new request.',
      );
    const text = known.answer === null ? undefined : sealer.open(known.answer, id);
    if (text === undefined)
      throw new AppError(
        'idempotency_key_in_use',
        'The first request with this Idempotency-Key has no answer yet. If it still has none later, check whether the request took effect.',
        // Clients that lost the connection repeat the request while it is still running.
        { retryAfterSeconds: known.ageMs < underWayMs ? 1 : null },
      );
    return JSON.parse(text) as Answer; // written above
  }

  /** Fingerprints are keyed, so that a copy of the database does not help to guess a password in a body. */
  function fingerprintsOf({ method, url, body }: FastifyRequest): AskedRequest['fingerprints'] {
    const parts = [method, url, body ?? null];
    const [current = '', ...older] = keys.map((key) =>
      createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex'),
    );
    // Version 0.1.0 made fingerprints without a key.
    return [current, ...older, digest(parts)];
  }
}

/** Refuses an `Idempotency-Key` on changes that do not support it. @throws AppError `invalid_request` */
export function refuseIdempotencyKey({ method, headers }: FastifyRequest): void {
  if (headers['idempotency-key'] === undefined || method === 'GET' || method === 'HEAD') return;
  const detail = 'has no effect here: leave it out.';
  throw new AppError('invalid_request', `The Idempotency-Key ${detail}`, {
    errors: [{ pointer: '/headers/idempotency-key', detail }],
  });
}

function digest(parts: unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex');
}

/** Whether the request was refused before it did anything. With other errors, it may have done something. */
function isRefusal(error: unknown): boolean {
  if (error instanceof Overloaded) return true;
  if (!(error instanceof AppError)) return false;
  return problems[error.code].status < 500 || error.code === 'payments_unavailable';
}
