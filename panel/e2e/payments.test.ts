import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startStripe } from '../../server/test/emulators/stripe.ts';
import { check, checkDialog } from './axe.ts';
import { openPanel, skip } from './support.ts';
import { within } from './within.ts';

suite('credit is paid for in the panel', { skip }, () => {
  test('in three clicks to the page of payment, and back to a balance that has grown; on a phone too', async () => {
    await using stripe = await startStripe();
    await using panel = await openPanel({ env: stripe.environment });
    const page = await panel.operator({ touch: true, width: 390, height: 844 });
    await page.goto(panel.at('/balance'));
    await within(page, 3, async (click) => {
      await click(page.getByRole('button', { name: 'Add credit' }));
      await checkDialog(page, 'add credit');
      await click(page.getByText('50.00', { exact: true }));
      assert.equal(await page.getByRole('textbox', { name: 'Amount' }).inputValue(), '50.00');
      await click(page.getByRole('button', { name: 'Go to payment' }));
      await page.waitForURL((url) => url.origin === new URL(stripe.url).origin);
    });
    const [session] = stripe.sessions;
    // People come back before Stripe has said that they paid.
    await page.goto(String(session?.success_url));
    await page.getByText('The payment of 50.00 is being confirmed').waitFor();
    stripe.pay();
    const { headers, body } = stripe.signed(stripe.events[0] ?? {});
    const told = await fetch(`${panel.world.url}/payments/stripe`, { method: 'POST', headers, body });
    assert.equal(told.status, 204);
    await page.getByText('50.00 was added to the balance').waitFor();
    await page.getByText('Available to spend').locator('..').getByText('150.00').waitFor();
    stripe.refund(String(session?.payment_intent), 5000);
    await check(page, 'a payment');
  });
});
