import Type from 'typebox';
import type { LivePayments } from '../../../accounts/payments/open-payments.ts';
import { type KeyDeps, readKeys, removeKeys, saveKeys } from '../../../accounts/payments/payment-keys.ts';
import { closed } from '../../../base/http/schemas.ts';
import { AppError } from '../../../errors.ts';
import { screen } from './screen.ts';

export interface PaymentScreenDeps extends KeyDeps {
  payments: LivePayments;
  urls: { publicUrl: string };
  followChanges(): Promise<void>;
}

const maxKeyLength = 500;
const key = Type.String({ minLength: 1, maxLength: maxKeyLength });

/** Only the panel has these calls, because a leaked admin key must not decide who is paid. */
export function paymentScreens(deps: PaymentScreenDeps) {
  const { database, payments, urls } = deps;
  async function present() {
    await deps.followChanges();
    const { keysFrom = null, hint = null, lacks = [] } = payments.current() ?? {};
    const isSealed = keysFrom === null && (await readKeys(database.read, payments.keySealer)) === 'sealed';
    return {
      /** `unreadable` if none of this server's secrets opens the keys. */
      from: isSealed ? ('unreadable' as const) : keysFrom,
      hint,
      /** The Stripe permissions that top-ups need and the key lacks. If there are any, top-ups are not offered. */
      top_ups_lack: lacks,
      sends_to: `${urls.publicUrl}/payments/stripe`,
    };
  }
  function assertFree(): void {
    if (payments.current()?.keysFrom === 'environment')
      throw new AppError(
        'invalid_request',
        'STRIPE_SECRET_KEY is set in the environment of the server, which takes precedence.',
      );
  }
  return [
    screen('GET', '/panel/operator/payment-keys', { handle: present }),

    screen('POST', '/panel/operator/payment-keys', {
      body: closed({ secret_key: key, webhook_secret: key }),
      async handle({ body: { secret_key, webhook_secret }, by }) {
        assertFree();
        const keys = { secretKey: secret_key.trim(), webhookSecret: webhook_secret.trim() };
        await saveKeys(deps, keys, by);
        return present();
      },
    }),

    screen('POST', '/panel/operator/payment-keys/remove', {
      async handle({ by }) {
        assertFree();
        await removeKeys(deps, by);
        return present();
      },
    }),
  ] as const;
}
