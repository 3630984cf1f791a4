import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openPanel, skip } from './support.ts';

suite('operators', { skip }, () => {
  test('a paused model answers 503 with the reason until it is resumed, and the playground says why', async () => {
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

    const playground = await panel.operator();
    await playground.goto(panel.at('/playground?model=nb2'));
    await playground.getByText('Moving house').waitFor();
    const make = playground.getByRole('button', { name: /^Make image/ });
    assert.equal(await make.getAttribute('aria-disabled'), 'true');
    await playground.getByText('Higher quality is paused. Choose another model').first().waitFor();

    await resume.click();
    await page.getByRole('button', { name: 'Pause Higher quality' }).waitFor();
    const made = await panel.world.send('POST', '/nb2/text-generations', { body });
    assert.equal(made.status, 202);
    await panel.world.finished(String(made.body.job_id));
  });

  test('a credit with its reason stands in the ledger and in the audit log', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/operator/accounts?search=tests');
    await page.getByRole('link', { name: 'tests' }).click();
    await page.getByRole('button', { name: 'Credit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Amount/).fill('12.50');
    await dialog.getByRole('button', { name: 'Credit account' }).click();
    await dialog.getByText('The reason stands in the ledger').waitFor();
    await dialog.getByLabel('Reason').fill('Invoice 118');
    await dialog.getByRole('button', { name: 'Credit account' }).click();
    await page.getByText('112.50').first().waitFor();
    assert.equal((await panel.world.balance()).balance, '112.50');

    await page.getByRole('link', { name: 'Ledger' }).click();
    await page.getByText('Invoice 118').waitFor();
    await page.goto('/operator/audit');
    await page
      .getByRole('row', { name: /account\.credited/ })
      .getByText('Invoice 118')
      .waitFor();
  });

  test('a member sees their own account and nothing of others or of operators', async () => {
    await using panel = await openPanel();
    const { accountId } = await panel.world.account('guests');
    const prompt = '<img src=x onerror=alert(1)>';
    const jobId = await panel.world.create('/nb2/text-generations', { prompt });
    await panel.world.finished(jobId);

    const page = await panel.operator();
    await page.goto(`/operator/accounts/${accountId}`);
    await page.getByRole('button', { name: 'Invite a member' }).click();
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = (await page.getByRole('region', { name: 'link' }).innerText()).trim();

    const guest = await panel.visitor();
    await guest.goto(link);
    await guest.getByRole('heading', { name: 'Join guests' }).waitFor();
    await guest.getByLabel('Your name').fill('Grace <b>');
    await guest.getByLabel('E-mail').fill('grace@example.com');
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
      assert.match(await guest.getByRole('alert').first().innerText(), /Request/, path);
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
