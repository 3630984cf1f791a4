import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../../server/test/http/support/requests.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

/** How long a disabled key may still be accepted. */
const knownForMs = 1_000;

suite('operators', { skip }, () => {
  test('a paused model answers 503 with the reason until it is resumed, and Make says why', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/operator/models');
    await page.getByRole('button', { name: 'Pause Higher quality' }).click();
    await page.getByLabel('Reason').fill('Moving house');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const resume = page.getByRole('button', { name: 'Resume Higher quality' });
    await resume.waitFor();

    const body = { prompt: 'a fox', aspect_ratio: '1:1' };
    const refused = await panel.world.send('POST', '/nb2/text-generations', { body });
    assert.deepEqual([refused.status, refused.body.code], [503, 'model_paused']);

    const making = await panel.operator();
    await making.goto(panel.at('/make?model=nb2'));
    await making.getByText('Moving house').waitFor();
    const make = making.getByRole('button', { name: /^Make image/ });
    await settles(() => make.getAttribute('aria-disabled'), 'true');
    await making.getByText('Higher quality is paused. Choose another model').first().waitFor();

    await resume.click();
    await page.getByRole('button', { name: 'Pause Higher quality' }).waitFor();
    const made = await panel.world.send('POST', '/nb2/text-generations', { body });
    assert.equal(made.status, 202);
    await panel.world.finished(String(made.body.job_id));
  });

  test('margins say what is owed to accounts, and lead to the statement of a month', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    await world.finished(await world.create('/nb2/text-generations'));
    const page = await panel.operator();
    await page.goto('/operator/margins');
    await page.getByRole('row', { name: /^Higher quality 1 0\.04/ }).waitFor();
    await page.getByText('Route', { exact: true }).click();
    await page.getByRole('row', { name: /^Higher quality\s*test 1 0\.04/ }).waitFor();
    await page.getByRole('link', { name: 'Owed to accounts' }).click();
    const now = new Date(world.clock.nowMs());
    const month = now.toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    await page.getByText('+200.00').first().waitFor();
    await page.getByRole('link', { name: month }).click();
    await page.getByRole('heading', { name: /^Statement of / }).waitFor();
    await page.getByText('All accounts').waitFor();
    await page.getByRole('row', { name: /Captured, Higher quality 1 −0\.04/ }).waitFor();
  });

  test('a provider’s rate is shown, changed and removed, in the units that its answers report', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/operator/margins');
    await page.getByRole('link', { name: 'Rates of providers' }).click();
    await page.getByRole('button', { name: 'Add a rate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Provider').selectOption({ label: 'Black Forest Labs' });
    await settles(() => dialog.getByLabel(/, USD$/).count(), 1, 'credits, and nothing else');
    await dialog.getByLabel('Model').fill('flux-2-pro');
    await dialog.getByLabel('Credits, USD').fill('0,01');
    await dialog.getByRole('button', { name: 'Save rate' }).click();
    await dialog
      .getByText(/is not an amount/)
      .first()
      .waitFor();
    await settles(() => dialog.getByLabel('Credits, USD').getAttribute('aria-invalid'), 'true');
    await dialog.getByLabel('Credits, USD').fill('0.01');
    await dialog.getByRole('button', { name: 'Save rate' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row', { name: /^flux-2-pro bfl Credits 0\.01 USD/ });
    await row.waitFor();

    await row.getByRole('button', { name: 'Change bfl flux-2-pro' }).click();
    await dialog.getByLabel('Credits, USD').fill('0.008');
    await dialog.getByRole('button', { name: 'Save rate' }).click();
    await page.getByRole('row', { name: /^flux-2-pro bfl Credits 0\.008 USD/ }).waitFor();
    await page.getByRole('button', { name: 'Remove bfl flux-2-pro' }).click();
    await dialog.getByRole('button', { name: 'Remove rate' }).click();
    await page.getByRole('row', { name: /^flux-2-pro bfl, replaced As published/ }).waitFor();

    await page.getByRole('button', { name: 'Replace openai gpt-image-2', exact: true }).click();
    await settles(() => dialog.getByLabel('Text in, USD').inputValue(), '5.00', 'what is published');
    await dialog.getByLabel('Text in, USD').fill('4');
    await dialog.getByRole('button', { name: 'Save rate' }).click();
    await page.getByRole('row', { name: /^gpt-image-2 openai, replaced Text in 5\.00/ }).waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    await page
      .getByRole('row', { name: /^flux-2-pro bfl, replaced .* ago As published/ })
      .first()
      .waitFor();
  });

  test('a dropped bill is compared, and for any other file the panel names the known bills', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/operator/margins');
    await page.getByRole('link', { name: 'Check a bill' }).click();
    const day = new Date().toISOString().slice(0, 10);
    const bill = `endpoint_id,unit,quantity,date,cost\nfal-ai/upscaler,image,7,${day},0.07`;
    const file = page.locator('input[type=file]');
    await file.setInputFiles({ name: 'fal.csv', mimeType: 'text/csv', buffer: Buffer.from(bill) });
    await page.getByText('The bill matches what was recorded').waitFor();
    await page.getByRole('row', { name: /fal-ai\/upscaler 7 .*0\.07/ }).waitFor();
    const unicode = Buffer.from(`\ufeff${bill.replaceAll(',', '\t').replace('7', '8')}`, 'utf16le');
    await file.setInputFiles({ name: 'fal.txt', mimeType: 'text/plain', buffer: unicode });
    await page.getByRole('row', { name: /fal-ai\/upscaler 8 .*0\.07/ }).waitFor();
    await file.setInputFiles({
      name: 'year.csv',
      mimeType: 'text/csv',
      buffer: Buffer.alloc(5_000_000, 'x'),
    });
    await page.getByText('It is too long').waitFor();
    await file.setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2') });
    await page
      .getByText(/none of the bills that are known here/)
      .first()
      .waitFor();
  });

  test('a price group gives a discount to an account that is added to it', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/operator/prices');
    await page.getByRole('button', { name: 'Add a price group' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id', { exact: true }).fill('Big Letters');
    await dialog.getByRole('button', { name: 'Save prices' }).click();
    await dialog
      .getByText(/must be small letters/)
      .first()
      .waitFor();
    await dialog.getByLabel('Id', { exact: true }).fill('resellers');
    await dialog.getByLabel('Factor').fill('0.5');
    await dialog.getByRole('button', { name: 'Add a price' }).click();
    await dialog.getByLabel('Model and size').selectOption('Higher quality, 2K');
    await dialog.getByLabel(/^Price of an image/).fill('0.01');
    await dialog.getByRole('button', { name: 'Save prices' }).click();
    await page.getByRole('row', { name: /resellers.*× 0\.5.*nb2 2K: 0\.01/ }).waitFor();

    await page.goto(`/operator/accounts/${panel.world.accountId}`);
    await page.getByLabel('Prices of tests').selectOption('resellers');
    const price = async (resolution: string) => {
      const body = { prompt: 'a fox', aspect_ratio: '1:1', resolution };
      return (await panel.world.send('POST', '/nb2/text-generations?dry_run=true', { body })).body.price;
    };
    await eventually(
      () => price('1K'),
      (read) => read === '0.02',
    );
    assert.equal(await price('2K'), '0.01');

    await page.goto('/operator/prices');
    const remove = page.getByRole('button', { name: 'Remove resellers' });
    await settles(() => remove.getAttribute('aria-disabled'), 'true');
    await page.getByRole('button', { name: 'Change resellers' }).click();
    await settles(() => dialog.getByLabel('Factor').inputValue(), '0.5');
    await dialog.getByLabel('Factor').fill('0.25');
    await dialog.getByRole('button', { name: 'Save prices' }).click();
    await page.getByRole('row', { name: /× 0\.25.*nb2 2K: 0\.01/ }).waitFor();
    assert.equal(await price('1K'), '0.01');

    await page.getByRole('button', { name: 'Add a price group' }).click();
    await dialog.getByLabel('Id', { exact: true }).fill('resellers');
    await dialog.getByRole('button', { name: 'Save prices' }).click();
    await dialog
      .getByText(/There is a price group with this id/)
      .first()
      .waitFor();
    assert.equal(await price('1K'), '0.01', 'the group keeps its prices');
    await dialog.getByLabel('Id', { exact: true }).fill('partners');
    await dialog.getByRole('button', { name: 'Save prices' }).click();
    await page.getByRole('row', { name: /partners.*× 0\.8/ }).waitFor();
  });

  test('a credit with its reason is in the ledger and in the audit log', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/operator/accounts?search=tests');
    await page.getByRole('link', { name: 'tests' }).click();
    await page.getByRole('button', { name: 'Credit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Amount/).fill('12.50');
    await dialog.getByRole('button', { name: 'Credit account' }).click();
    await dialog.getByText('The reason appears in the ledger').waitFor();
    await dialog.getByLabel('Reason').fill('Invoice 118');
    await dialog.getByRole('button', { name: 'Credit account' }).click();
    await page.getByText('112.50').first().waitFor();
    assert.equal((await panel.world.balance()).balance, '112.50');

    await page.getByRole('link', { name: 'Ledger' }).click();
    await page.getByText('Invoice 118').waitFor();
    await page.goto('/operator/audit');
    const row = page.getByRole('row', { name: /Account credited.*Invoice 118/ });
    await row.waitFor();
    await page.getByLabel('What').selectOption('link.opened');
    await row.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('row', { name: /Link opened/ }).waitFor();
    await page.getByLabel('What').selectOption('account.credited');
    await page.getByLabel('Address').fill('10.');
    await page.getByText('No entry matches').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await row.waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download JSON Lines' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'audit.jsonl');
  });

  test('an account that is disabled is refused and says why, and works again once it is enabled', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto(`/operator/accounts/${panel.world.accountId}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog');
    const disable = dialog.getByRole('button', { name: 'Disable account' });
    await dialog.getByLabel('Reason').fill('unpaid');
    await dialog.getByLabel('Type tests to confirm').fill('test');
    await settles(() => disable.getAttribute('aria-disabled'), 'true', 'the name is not whole');
    await dialog.getByLabel('Type tests to confirm').fill('tests');
    await disable.click();
    await page.getByText('This account is disabled').waitFor();
    await dialog.waitFor({ state: 'detached' });

    await panel.world.elapse(knownForMs);
    assert.equal((await panel.world.send('GET', '/balance')).status, 401);
    const making = await panel.operator();
    await making.goto(panel.at('/make'));
    await making.getByText('This account is disabled.').first().waitFor();
    const make = making.getByRole('button', { name: /^Make image/ });
    await settles(() => make.getAttribute('aria-disabled'), 'true');

    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await panel.world.elapse(knownForMs);
    assert.equal((await panel.world.send('GET', '/balance')).status, 200);
    await page.goto('/operator/audit');
    await page.getByRole('row', { name: /Account disabled.*unpaid/ }).waitFor();
    await page.getByRole('row', { name: /Account enabled/ }).waitFor();
  });

  test('the entry of the page is in sight on a low screen', async () => {
    await using panel = await openPanel();
    const page = await panel.operator({ width: 1280, height: 720 });
    await page.goto('/operator/audit');
    const entry = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit log' });
    const isInSight = () =>
      entry.evaluate((link) => {
        const pages = link.closest('nav');
        return !!pages && link.getBoundingClientRect().bottom <= pages.getBoundingClientRect().bottom;
      });
    await settles(isInSight, true);
  });

  test('an operator is invited and removed, and the last one cannot be', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/operator/accounts');
    const last = page.getByRole('button', { name: 'Remove Operator' });
    await settles(() => last.getAttribute('aria-disabled'), 'true');
    assert.match(
      await last.locator('xpath=following-sibling::span').innerText(),
      /The last admin cannot be removed/,
    );

    await page.getByRole('button', { name: 'Invite an operator' }).click();
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = (await page.getByRole('region', { name: 'link' }).innerText()).trim();
    const grace = await panel.visitor();
    await grace.goto(link);
    await grace.getByLabel('Your name').fill('Grace');
    await grace.getByLabel('Email').fill('grace@example.com');
    await grace.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await grace.getByRole('button', { name: 'Accept the invitation' }).click();
    await grace.getByRole('link', { name: 'Accounts' }).waitFor();

    await page.reload();
    await page.getByRole('button', { name: 'Remove Grace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove operator' }).click();
    await page.getByRole('row', { name: /Grace/ }).waitFor({ state: 'detached' });
    await settles(() => last.getAttribute('aria-disabled'), 'true');
    await grace.goto('/operator/accounts');
    await settles(() => grace.getByRole('alert').first().innerText(), /operator/i);
  });

  test('an invitation is listed with its author, and opens nothing once it is revoked', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/operator/accounts');
    await page.getByRole('button', { name: 'Invite an operator' }).click();
    await page.getByRole('dialog').getByLabel('Note').fill('for Grace');
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = (await page.getByRole('region', { name: 'link' }).innerText()).trim();
    await page.reload();
    await page.getByRole('row', { name: /for Grace Admin Operator/ }).waitFor();
    await page.getByRole('button', { name: 'New link, for Grace' }).click();
    await page
      .getByRole('dialog')
      .getByText(/\/open#/)
      .waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke for Grace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke invitation' }).click();
    await page.getByRole('row', { name: /for Grace/ }).waitFor({ state: 'detached' });

    const grace = await panel.visitor();
    await grace.goto(link);
    await settles(() => grace.getByRole('alert').first().innerText(), /used before, has expired/);
  });

  test('a member sees their own account, but no other accounts and no pages of operators', async () => {
    await using panel = await openPanel();
    const { accountId } = await panel.world.account('guests');
    const prompt = '<img src=x onerror=alert(1)>';
    const jobId = await panel.world.create('/nb2/text-generations', { prompt });
    await panel.world.finished(jobId);

    const page = await panel.operator();
    await page.goto(`/operator/accounts/${accountId}`);
    await page.getByRole('button', { name: 'Invite a member' }).click();
    await settles(() => page.getByLabel('Role').inputValue(), 'developer');
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = (await page.getByRole('region', { name: 'link' }).innerText()).trim();

    const guest = await panel.visitor();
    await guest.goto(link);
    await guest.getByRole('heading', { name: 'Join guests' }).waitFor();
    await guest.getByLabel('Your name').fill('Grace <b>');
    await guest.getByLabel('Email').fill('grace@example.com');
    await guest.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await guest.getByRole('button', { name: 'Accept the invitation' }).click();
    await guest.getByRole('heading', { name: 'guests', exact: true }).waitFor();
    assert.equal(await guest.getByRole('link', { name: 'Accounts' }).count(), 0);

    for (const path of [
      panel.at(),
      panel.at(`/jobs/${jobId}`),
      panel.at('/keys'),
      panel.at(`/jobs/${jobId}`, accountId),
    ]) {
      await guest.goto(path);
      await settles(() => guest.getByRole('alert').first().innerText(), /Request/, path);
      assert.ok(!(await guest.content()).includes('onerror'), path);
    }
    for (const path of ['/operator/accounts', '/operator/models', '/operator/system', '/operator/audit']) {
      await guest.goto(path);
      await guest.getByRole('alert').first().waitFor();
    }

    await page.goto(panel.at(`/jobs/${jobId}`));
    await page.getByText(prompt).first().waitFor();
    assert.equal(await page.locator('img[src="x"]').count(), 0, 'a prompt is text');
  });
});
