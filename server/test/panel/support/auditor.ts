import assert from 'node:assert/strict';
import type { AnswerOf, PanelCallName } from '../../../src/web/panel/contract.ts';
import type { World } from '../../world/world.ts';
import type { Browser } from '../browser.ts';

export type Change =
  | Exclude<PanelCallName, `GET ${string}` | `${string} /admin/v1/${string}`>
  | OfAdministration;

/** The administration calls that the panel's pages make; `admin/audited-calls.test.ts` makes all of them. */
type OfAdministration = Extract<
  PanelCallName,
  | `${'PUT' | 'DELETE'} /admin/v1/pauses/:scope`
  | 'POST /admin/v1/self-check'
  | 'POST /admin/v1/costs/check'
  | 'POST /admin/v1/models'
  | `${'PUT' | 'DELETE'} /admin/v1/connections/:name`
  | 'POST /admin/v1/connections/:name/check'
  | 'POST /admin/v1/models/:model_id/restore'
  | 'DELETE /admin/v1/models/:model_id'
  | `POST /admin/v1/routes/:route/${'check' | 'try'}`
  | `POST /admin/v1/reports/:report_id/${'take-down' | 'resolve'}`
  | `${'PUT' | 'DELETE'} /admin/v1/price-groups/:price_group_id`
  | 'PATCH /admin/v1/rates'
  | `${'PUT' | 'DELETE'} /admin/v1/brand`
  | 'POST /admin/v1/brand/preview'
  | 'PATCH /admin/v1/accounts/:account'
  | 'POST /admin/v1/vouchers'
  | 'DELETE /admin/v1/vouchers/:voucher_batch_id'
  | 'POST /admin/v1/accounts'
  | `POST /admin/v1/accounts/:account/${'credits' | 'disable' | 'enable' | 'invitations'}`
  | 'DELETE /api/v1/members/:person_id'
  | 'DELETE /admin/v1/people/:person'
>;

/** The audit entry of every call that may change something; null for those without an entry. */
export const entryOf: Record<Change, string | null> = {
  'POST /panel/sign-in': null, // a code has to follow
  'POST /panel/sign-in/code': 'person.signed_in',
  'POST /panel/sign-in/forgotten': null,
  'POST /panel/sign-in/reset': 'password.reset',
  'POST /panel/sign-in/oidc': null,
  'POST /panel/sign-up/passkey/offer': null,
  'POST /panel/sign-up/passkey': 'account.created',
  'POST /panel/sign-in/passkey/offer': null,
  'POST /panel/sign-in/passkey': 'person.signed_in',
  'POST /panel/sign-in/captcha': null,
  'POST /panel/sign-up': null,
  'POST /panel/sign-up/confirm': 'account.created',
  'POST /panel/sign-up/oidc/look': null,
  'POST /panel/sign-up/oidc': 'account.created',
  'POST /panel/sign-out': 'person.signed_out',
  'POST /panel/links/look': null,
  'POST /panel/links/open': 'operator.joined',
  'POST /panel/session/credentials': 'person.changed',
  'POST /panel/session/authenticator': null,
  'POST /panel/session/authenticator/confirm': 'authenticator.added',
  'POST /panel/session/authenticator/remove': 'authenticator.removed',
  'POST /panel/session/passkeys/offer': null,
  'POST /panel/session/passkeys': 'passkey.added',
  'POST /panel/session/passkeys/:passkey_id/remove': 'passkey.removed',
  'PUT /api/v1/top-up': 'top_up.changed',
  'DELETE /api/v1/top-up': 'top_up.removed',
  'POST /api/v1/top-up/card': null,
  'POST /panel/operator/payment-keys': 'payment_keys.changed',
  'POST /panel/operator/payment-keys/remove': 'payment_keys.removed',
  'POST /panel/session/delete': 'person.deleted',
  'POST /api/v1/members/:person_id/transfer': 'account.transferred',
  'POST /panel/session/emails': null,
  'POST /panel/session/language': null,
  'POST /panel/session/end-others': 'sessions.ended',
  'POST /panel/session/sessions/:session_id/end': 'sessions.ended',
  'POST /api/v1/:model/text-generations': 'job.created',
  'POST /api/v1/:model/url-generations': 'job.created',
  'POST /api/v1/:model/text-generations?dry_run=true': null,
  'POST /api/v1/:model/url-generations?dry_run=true': null,
  'POST /api/v1/uploads': null,
  'DELETE /api/v1/uploads/:upload_id': null,
  'DELETE /api/v1/jobs/:job_id/image': 'image.deleted',
  'DELETE /api/v1/client-tokens/:token_id': 'client_token.revoked',
  'POST /panel/accounts/:account_id/input-preview': null,
  'POST /api/v1/payments': null, // the payment is still open
  'POST /api/v1/jobs/:job_id/again': 'job.created',
  'POST /api/v1/jobs/:job_id/again?dry_run=true': null,
  'POST /api/v1/jobs/:job_id/cancel': 'job.cancelled',
  'POST /api/v1/batches': 'batch.created',
  'POST /api/v1/batches?dry_run=true': null,
  'POST /api/v1/batches/:batch_id/cancel': 'batch.cancelled',
  'POST /api/v1/jobs/delete-images': 'image.deleted',
  'POST /api/v1/jobs/tags': null,
  'PUT /api/v1/jobs/:job_id/tags/:tag': null,
  'DELETE /api/v1/jobs/:job_id/tags/:tag': null,
  'PUT /api/v1/jobs/:job_id/star': null,
  'DELETE /api/v1/jobs/:job_id/star': null,
  'POST /api/v1/albums': null,
  'PATCH /api/v1/albums/:album_id': null,
  'DELETE /api/v1/albums/:album_id': null,
  'POST /api/v1/shares': 'share.created',
  'DELETE /api/v1/shares/:token': 'share.revoked',
  'POST /api/v1/keys': 'key.created',
  'POST /api/v1/keys/:key_id/disable': 'key.disabled',
  'POST /api/v1/keys/:key_id/roll': 'key.rolled',
  'PATCH /api/v1/keys/:key_id': 'key.limits_changed',
  'PATCH /api/v1/keys/:key_id/limits': 'key.limits_changed',
  'POST /panel/grants/look': null,
  'POST /panel/accounts/:account_id/grants': null, // the key that the program then fetches has its entry
  'POST /api/v1/vouchers/redeem': 'account.credited',
  'POST /api/v1/webhooks': 'webhook.added',
  'PATCH /api/v1/webhooks/:endpoint_id': 'webhook.changed',
  'DELETE /api/v1/webhooks/:endpoint_id': 'webhook.removed',
  'POST /api/v1/webhooks/:endpoint_id/test': null,
  'PUT /api/v1/webhooks/:endpoint_id': 'webhook.changed',
  'POST /api/v1/webhooks/:endpoint_id/reveal': 'webhook.secret_revealed',
  'POST /api/v1/webhooks/:endpoint_id/rotate': 'webhook.secret_rotated',
  'POST /api/v1/deliveries/:delivery_id/replay': 'delivery.replayed',
  'POST /api/v1/deliveries/replay': 'deliveries.replayed',
  'POST /admin/v1/reports/:report_id/take-down': 'report.taken_down',
  'POST /admin/v1/reports/:report_id/resolve': 'report.resolved',
  'PUT /admin/v1/price-groups/:price_group_id': 'price_group.added',
  'DELETE /admin/v1/price-groups/:price_group_id': 'price_group.removed',
  'PATCH /admin/v1/rates': 'rate.changed',
  'POST /admin/v1/vouchers': 'vouchers.created',
  'DELETE /admin/v1/vouchers/:voucher_batch_id': 'vouchers.withdrawn',
  'PUT /admin/v1/brand': 'brand.changed',
  'DELETE /admin/v1/brand': 'brand.removed',
  'POST /admin/v1/brand/preview': null,
  'PATCH /admin/v1/accounts/:account': 'account.price_group_changed',
  'POST /admin/v1/accounts': 'account.created',
  'POST /admin/v1/accounts/:account/credits': 'account.credited',
  'POST /admin/v1/accounts/:account/disable': 'account.disabled',
  'POST /admin/v1/accounts/:account/enable': 'account.enabled',
  'PATCH /api/v1/limits': 'account.limits_changed',
  'PATCH /api/v1/alerts': 'account.alerts_changed',
  'PATCH /api/v1/retention': 'account.retention_changed',
  'POST /api/v1/invitations': 'member.invited',
  'DELETE /api/v1/members/:person_id': 'member.removed',
  'PATCH /api/v1/members/:person_id': 'member.role_changed',
  'POST /panel/operator/operators/invite': 'operator.invited',
  'POST /panel/operator/customers/invite': 'customer.invited',
  'POST /panel/operator/operators/:person_id/remove': 'operator.removed',
  'POST /panel/operator/people/:person_id/confirm-email': 'person.email_confirmed',
  'DELETE /admin/v1/people/:person': 'person.deleted',
  'POST /panel/operator/people/:person_id/link': 'link.made',
  'POST /api/v1/invitations/:invitation_id/renew': 'invitation.renewed',
  'DELETE /api/v1/invitations/:invitation_id': 'invitation.revoked',
  'POST /panel/operator/invitations/:invitation_id/revoke': 'invitation.revoked',
  'POST /panel/operator/invitations/:invitation_id/renew': 'invitation.renewed',
  'PUT /admin/v1/pauses/:scope': 'pause.started',
  'DELETE /admin/v1/pauses/:scope': 'pause.ended',
  'POST /admin/v1/routes/:route/check': null,
  'POST /admin/v1/routes/:route/try': 'route.tried',
  'POST /admin/v1/models': 'model.added',
  'DELETE /admin/v1/models/:model_id': 'model.removed',
  'POST /admin/v1/models/:model_id/restore': 'model.added',
  'POST /admin/v1/self-check': null,
  'POST /admin/v1/costs/check': null,
  'POST /panel/operator/connections/try': null,
  'PUT /admin/v1/connections/:name': 'connection.added',
  'POST /admin/v1/connections/:name/check': null,
  'POST /panel/operator/connections/:name/offers': null,
  'POST /panel/operator/connections/:name/serve': 'model.changed',
  'POST /panel/operator/connections/:name/models': 'model.added',
  'POST /panel/operator/connections/:name/workflow': null,
  'POST /panel/operator/connections/:name/workflow-models': 'model.added',
  'DELETE /admin/v1/connections/:name': 'connection.removed',
};

type Options = Parameters<Browser['try']>[1];

export class Auditor {
  readonly called = new Set<Change>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async call<Call extends Change>(browser: Browser, call: Call, options?: Options): Promise<AnswerOf<Call>> {
    this.called.add(call);
    const before = await this.#read();
    const answer = await browser.call(call, options);
    const left = (await this.#read()).slice(before.length);
    assert.deepEqual(left, entryOf[call] === null ? [] : [entryOf[call]], call);
    return answer;
  }

  async nothing(browser: Browser, call: Change, options?: Options): Promise<void> {
    this.called.add(call);
    const before = await this.#read();
    await browser.try(call, options);
    assert.deepEqual(await this.#read(), before, call);
  }

  /** The state after a failed attempt. */
  async postponeDeliveries(): Promise<void> {
    const tomorrow = Date.now() + 24 * 60 * 60 * 1000;
    await this.#world.app.database.transaction((tx) =>
      tx.updateTable('deliveries').set({ claimable_at: tomorrow }).execute(),
    );
  }

  async #read(): Promise<string[]> {
    const rows = await this.#world.app.database.read
      .selectFrom('audit_log')
      .select('action')
      .orderBy('id')
      .execute();
    return rows.map(({ action }) => action);
  }
}
