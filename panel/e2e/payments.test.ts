import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { debitAccount } from '../../server/src/accounts/debit-account.ts';
import { commandLine } from '../../server/src/base/audit/audit-store.ts';
import { startStripe } from '../../server/test/emulators/stripe.ts';
import { check, checkDialog } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';
import { within } from './within.ts';

suite('credit is paid for in the panel', { skip }, () => {
  test('it takes three clicks to the payment page, and back to a higher balance; on a phone too', async () => {
    await using stripe = await startStripe();
    await using panel = await openPanel({ env: stripe.environment });
    const page = await panel.operator({ touch: true, width: 390, height: 844 });
    await page.goto(panel.at('/balance'));
    await within(page, 3, async (click) => {
      await click(page.getByRole('button', { name: 'Add credit' }));
      await checkDialog(page, 'add credit');
      await click(page.getByText('50.00', { exact: true }));
      await settles(() => page.getByRole('textbox', { name: 'Amount' }).inputValue(), '50.00');
      await click(page.getByRole('button', { name: 'Go to payment' }));
      await page.waitForURL((url) => url.origin === new URL(stripe.url).origin);
    });
    const [session] = stripe.sessions;
    // People return before Stripe reports the payment.
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
    // The link in the low-balance email.
    await page.goto(`${panel.at('/balance')}?add=credit`);
    await page.getByRole('dialog', { name: 'Add credit' }).waitFor();
  });

  test('operators see payments with refunds, and who owes, and open the account', async () => {
    await using stripe = await startStripe();
    await using panel = await openPanel({ env: stripe.environment });
    const { key, accountId } = await panel.world.account('shop');
    const headers = { authorization: `Bearer ${key}` };
    await panel.world.send('POST', '/payments', { body: { amount: '50' }, headers });
    const payment = stripe.pay();
    const dispute = stripe.dispute(payment);
    dispute.win();
    stripe.refund(payment, 1000);
    const tell = async (from: number) => {
      for (const event of stripe.events.slice(from)) {
        const { headers, body } = stripe.signed(event);
        await fetch(`${panel.world.url}/payments/stripe`, { method: 'POST', headers, body });
      }
    };
    await tell(0);
    const { database } = panel.world.app;
    const spent = { account: accountId, amountMicros: 40_000_000n, reason: 'spent' };
    await debitAccount({ database, tellBalances: async () => {} }, spent, commandLine);
    const told = stripe.events.length;
    stripe.refund(payment, 500);
    await tell(told);
    for (const width of [390, 1366]) {
      const page = await panel.operator({ width, height: 844, touch: width < 500 });
      await page.goto('/operator/payments');
      const paid = page.getByRole('row', { name: /^shop 50\.00 USD.* Paid 15\.00 USD/ });
      await paid.getByText(/a dispute was won/).waitFor();
      await paid.getByText(/refunded/).waitFor();
      await page.getByRole('region', { name: 'Accounts that owe' }).getByText('5.00 USD').waitFor();
      await check(page, `payments at ${width}`);
      await page.getByRole('region', { name: 'Payments' }).getByRole('link', { name: 'shop' }).click();
      await page.getByText('Its next credits pay this first').waitFor();
      await page.getByRole('region', { name: 'Payments' }).getByText('50.00').waitFor();
      await check(page, `an account that owes at ${width}`);
    }
  });

  test('an owner saves a card, turns automatic top-up on, sees its payments and why it stopped, and turns it off', async () => {
    await using stripe = await startStripe();
    await using panel = await openPanel({ env: stripe.environment });
    const tell = async () => {
      const { headers, body } = stripe.signed(stripe.events.at(-1) ?? {});
      await fetch(`${panel.world.url}/payments/stripe`, { method: 'POST', headers, body });
    };
    for (const width of [390, 1366]) {
      const page = await panel.operator({ width, height: 844, touch: width < 500 });
      await page.goto(panel.at('/balance'));
      const heading = page.getByRole('heading', { name: 'Automatic top-up' });
      const section = page.locator('section').filter({ has: heading });
      await section.getByRole('button', { name: 'Save a card' }).click();
      await page.waitForURL((url) => url.origin === new URL(stripe.url).origin);
      await page.goto(String(stripe.sessions.at(-1)?.success_url));
      await section.getByText('The card is being confirmed.').waitFor();
      const card = stripe.saveCard();
      await tell();
      await section.getByText('visa ending in 4242, valid until 08/2031.').waitFor();
      await section.getByRole('button', { name: 'Turn on' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('At most in a month').fill('20');
      await dialog.getByRole('button', { name: 'Turn on' }).click();
      await dialog.getByText('must be at least the amount of one charge.', { exact: true }).waitFor();
      await checkDialog(page, `automatic top-up at ${width}`);
      await dialog.getByLabel('At most in a month').fill('80');
      await dialog.getByRole('button', { name: 'Turn on' }).click();
      await section.getByText('of at most').waitFor();
      await check(page, `automatic top-up on at ${width}`);
      stripe.detach(card);
      await tell();
      await page.reload();
      await section.getByText('The card is no longer charged').waitFor();
      await check(page, `automatic top-up stopped at ${width}`);
      await section.getByRole('button', { name: 'Turn off automatic top-up' }).click();
      await page.getByRole('button', { name: 'Turn off and forget the card' }).click();
      await section.getByText('Off. When on, a saved card').waitFor();
      await panel.world.app.database.transaction((tx) =>
        tx.updateTable('top_ups').set({ page_opened_at: null }).execute(),
      );
    }
  });

  test('the last automatic charge that a month’s limit allows is not said to be refused', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    const topUp = (month_used: string) => ({
      ...{
        offered: true,
        status: 'on',
        stopped_by: null,
        card: { brand: 'visa', last4: '4242', ends: '2031-08' },
      },
      ...{ threshold: '5.00', amount: '5.20', month_most: '15.60', month_used },
    });
    let answer = topUp('10.40');
    await page.route(/\/api\/v1\/top-up$/, (route) => route.fulfill({ json: answer }));
    await page.goto(panel.at('/balance'));
    await page.getByText('of at most').waitFor();
    const over = page.getByText('Nothing more is charged in this month.');
    assert.equal(await over.count(), 0);
    answer = topUp('10.41');
    await page.reload();
    await over.waitFor();
  });

  test('operators enter Stripe’s keys, see what is wrong with them, and take payments from then on', async () => {
    await using stripe = await startStripe();
    const { STRIPE_API_URL, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = stripe.environment;
    await using panel = await openPanel({ env: { STRIPE_API_URL } });
    for (const width of [390, 1366]) {
      const page = await panel.operator({ width, height: 844, touch: width < 500 });
      await page.goto('/operator/payments');
      await page.getByRole('button', { name: 'Enter the Stripe keys' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(`${panel.world.url}/payments/stripe`).waitFor();
      await dialog.getByRole('textbox', { name: 'Secret key' }).fill(STRIPE_SECRET_KEY);
      await dialog.getByRole('textbox', { name: 'Signing secret' }).fill('wrong');
      await dialog.getByRole('button', { name: 'Save keys' }).click();
      await dialog.getByText('begins with whsec_.', { exact: true }).waitFor();
      await checkDialog(page, `keys of Stripe at ${width}`);
      await dialog.getByRole('textbox', { name: 'Signing secret' }).fill(STRIPE_WEBHOOK_SECRET);
      stripe.answer('expire', { status: 401, body: { error: { message: 'no such key' } } });
      await dialog.getByRole('button', { name: 'Save keys' }).click();
      await dialog.getByText(/^is not a key that Stripe knows/).waitFor();
      stripe.answer('setup intent', { status: 403, body: { error: { message: 'not granted' } } });
      await dialog.getByRole('button', { name: 'Save keys' }).click();
      await page.getByText('Payments are taken with the key sk_test_…_key.').waitFor();
      await page.getByText('lacks these permissions: read SetupIntents.').waitFor();
      await check(page, `keys of Stripe given at ${width}`);
      await page.goto(panel.at('/balance'));
      await page.getByRole('button', { name: 'Add credit' }).waitFor();
      await page.goto('/operator/payments');
      await page.getByRole('button', { name: 'Remove the Stripe keys' }).click();
      await page.getByRole('button', { name: 'Remove keys' }).click();
      await page.getByText('No payments are taken until you enter its keys.').waitFor();
    }
  });

  test('operators make vouchers, print them once, see them redeemed, and withdraw them', async () => {
    await using panel = await openPanel();
    for (const width of [390, 1366]) {
      const page = await panel.operator({ width, height: 844, touch: width < 500 });
      const name = `fair ${width}`;
      await page.goto('/operator/vouchers');
      await page.getByRole('button', { name: 'Make vouchers' }).click();
      const dialog = page.getByRole('dialog');
      const make = dialog.getByRole('button', { name: 'Make vouchers' });
      await make.click();
      await dialog.getByText('An amount such as 25').waitFor();
      await dialog.getByLabel(/^Worth/).fill('2.50');
      await dialog.getByLabel('Codes').fill('12');
      await dialog.getByLabel('Last day').fill('2020-01-01');
      await dialog.getByLabel('Name').fill(name);
      await make.click();
      await dialog.getByText('A day that is not over').waitFor();
      await dialog.getByLabel('Last day').fill('2999-12-31');
      await checkDialog(page, 'make vouchers');
      await make.click();
      await dialog.getByText('And 2 more in the file.').waitFor();
      await checkDialog(page, 'the codes of vouchers');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('link', { name: 'Download CSV' }).click(),
      ]);
      const [head, ...lines] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
      assert.deepEqual([head, lines.length], ['code,amount,expires_at', 12]);
      const [code, amount, end] = lines[11]?.split(',') ?? [];
      assert.deepEqual([amount, end], ['2.50', '2999-12-31T23:59:59.999Z']);
      await dialog.getByRole('button', { name: 'I have saved them' }).click();
      const row = page.getByRole('row', { name: new RegExp(name) });
      await row.getByText('0 of 12').waitFor();
      const redeemed = await panel.world.send('POST', '/vouchers/redeem', { body: { code } });
      assert.equal(redeemed.status, 200);
      await page.reload();
      await row.getByText('1 of 12').waitFor();
      await row.getByText('Active').waitFor();
      await check(page, `vouchers at ${width}`);
      await row.getByRole('button', { name: `Withdraw ${name}` }).click();
      await dialog.getByText('Nobody redeems 11 of them').waitFor();
      await dialog.getByRole('button', { name: 'Withdraw vouchers' }).click();
      await row.getByText('Withdrawn').waitFor();
      const [first] = lines[0]?.split(',') ?? [];
      const late = await panel.world.send('POST', '/vouchers/redeem', { body: { code: first } });
      assert.equal(late.body.code, 'voucher_refused');
    }
  });
});
