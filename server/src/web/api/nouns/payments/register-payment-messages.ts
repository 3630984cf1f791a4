import type { FastifyInstance } from 'fastify';
import type { PaymentSource } from '../../../../accounts/payments/open-payments.ts';
import { settleNoted } from '../../../../accounts/payments/settle-noted.ts';
import type { Database } from '../../../../base/db/database.ts';
import { hidden } from '../../../../base/http/schemas.ts';
import type { Log } from '../../../../base/std/log.ts';
import { AppError } from '../../../../errors.ts';
import { tellPayments } from '../../../../notify/alerts/tell-payments.ts';

/** The maximum size of a message, ten times the size of Stripe's largest events. */
const maxBytes = 1024 * 1024;

/** Answers after the settlement, so that the provider repeats messages that failed here. */
export function registerPaymentMessages(
  server: FastifyInstance,
  { payments, log, database }: { payments: PaymentSource; database: Database; log: Log },
): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The body is kept as bytes, because the signature covers the original bytes.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, done) =>
      done(null, body),
    );
    scope.post('/payments/stripe', { ...hidden, bodyLimit: maxBytes }, async (request, reply) => {
      const provider = payments.current()?.provider;
      if (!provider) throw new AppError('not_found', 'Payments are not accepted here.');
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      for (const event of await provider.readMessage(body, request.headers)) {
        await settleNoted({ database, provider, log, ...tellPayments }, event);
      }
      return reply.code(204).send();
    });
  });
}
