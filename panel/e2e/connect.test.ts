import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { pick } from '../../server/src/upstream/providers/pick.ts';
import { openAdministration } from '../../server/test/admin/admin-client.ts';
import { startComfyUi } from '../../server/test/emulators/comfyui.ts';
import { openAiKey, startOpenAi } from '../../server/test/emulators/openai.ts';
import { replicateToken, startReplicate } from '../../server/test/emulators/replicate.ts';
import { sdxlRefiner, stableDiffusion } from '../../server/test/providers/comfyui-workflows.ts';
import { assertFits, check } from './axe.ts';
import { createKeyDuring, holdAnswer } from './hold-answer.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

const limitMs = 60_000;

suite('connecting a provider', { skip }, () => {
  test('a stranger gets from a fresh start to a first real image within a minute, without a restart', async (context) => {
    await using upstream = await startOpenAi();
    const began = performance.now();
    await using panel = await openPanel({ ownRoutes: true });
    const page = await panel.operator();
    const clicks: string[] = [];
    const click = async (role: 'button' | 'link', name: string | RegExp) => {
      clicks.push(typeof name === 'string' ? name : name.source.replace('^', ''));
      await page.getByRole(role, { name, exact: true }).click();
    };
    await click('button', 'Connect a provider');
    await click('link', /^OpenAI/);
    await page.getByLabel('Address').fill(upstream.url);
    await paste(page, page.getByRole('textbox', { name: /^Key/ }), openAiKey);
    await page.getByText('It answers: 3 models').waitFor();
    await click('button', 'Connect');
    await page.getByText('Counted from what its answers used, by the list of LiteLLM').first().waitFor();
    await click('button', 'Serve these 3 models');
    await click('button', 'Make a test image · 0.02 USD');
    const image = page.getByRole('region', { name: 'Test image' });
    await image.getByRole('img').waitFor();
    const tookMs = performance.now() - began;
    await image.getByText(/The account .* paid 0\.02/).waitFor();
    context.diagnostic(
      `from a fresh start to a real image: ${(tookMs / 1000).toFixed(1)} s, ${clicks.length} clicks (${clicks.join(' → ')})`,
    );
    assert.ok(tookMs < limitMs, `${tookMs} ms`);
    assert.equal(pick(upstream.of('generate')[0]?.json(), 'model'), 'gpt-image-2');

    await page.goto('/operator/connections');
    await page.getByRole('cell', { name: 'nb, nb2, pro' }).waitFor();
    assert.ok(!(await page.content()).includes(openAiKey), 'the key was shown');
    await page.goto(panel.at());
    await page.getByRole('heading', { name: 'tests' }).waitFor();
    assert.equal(
      await page.getByRole('button', { name: 'Connect a provider' }).count(),
      0,
      'it is offered no longer',
    );
  });

  test('a connection is checked, gets another key and is removed; errors are shown', async () => {
    await using upstream = await startOpenAi();
    await using panel = await openPanel({ ownRoutes: true });
    const page = await panel.operator();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.goto('/operator/connect?provider=openai');
    await page.getByLabel('Address').fill(`${upstream.url}/v1`);
    await page.getByRole('textbox', { name: /^Key/ }).fill('sk-wrong');
    await button('Connect').click();
    await page.getByText('The key is refused').waitFor();
    await checkScreen(page, 'a refused key');
    await button('Save anyway').click();
    await page.waitForURL('**/operator/connect?name=openai');
    await page.getByText('The key is refused').waitFor();

    await page.goto('/operator/connections');
    const act = async (what: string) => {
      await button('Actions for openai').click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await act('Replace the key');
    await page.getByRole('textbox', { name: 'New key' }).fill(openAiKey);
    await checkScreen(page, 'replacing a key');
    await button('Replace').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await act('Check again');
    await button('Check now').click();
    await page.getByText('It answers: 3 models').waitFor();
    await page.keyboard.press('Escape');

    await act('Choose its models');
    await page.getByRole('checkbox', { name: /Fast/ }).uncheck();
    await checkScreen(page, 'choosing models');
    await button('Serve these 2 models').click();
    await button('Make a test image · 0.04 USD').waitFor();
    await checkScreen(page, 'the test image');
    await button('Back to the models').click();
    await button('Add a new model').click();
    await page.getByLabel('Name').fill('My FLUX');
    await settles(() => page.getByRole('textbox', { name: 'Id' }).inputValue(), 'my-flux');
    await page.getByLabel('Price of an image at 1K').fill('0.03');
    await checkScreen(page, 'a new model');
    await button('Add the model').click();
    await button('Make a test image · 0.03 USD').waitFor();

    await page.goto('/operator/connections');
    await page.getByRole('cell', { name: 'nb2, pro, my-flux' }).waitFor();
    await checkScreen(page, 'the list of connections');
    await act('Remove');
    await page.getByText('nb2, pro, my-flux use it').waitFor();
    await button('Remove connection').click();
    await page.getByRole('heading', { name: 'No connection yet' }).waitFor();
  });

  test('a connection that is saved late does not lead away from another page', async () => {
    await using upstream = await startOpenAi();
    await using panel = await openPanel({ ownRoutes: true });
    const page = await panel.operator();
    const answer = await holdAnswer(page, /\/connections\/openai$/);
    await page.goto('/operator/connect?provider=openai');
    await page.getByLabel('Address').fill(`${upstream.url}/v1`);
    await page.getByRole('textbox', { name: /^Key/ }).fill(openAiKey);
    const sent = page.waitForRequest(/\/connections\/openai$/);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await sent;
    await createKeyDuring(page, answer);
  });

  test('an image’s cost is filled in from the book of rates, and can be changed', async () => {
    await using upstream = await startReplicate();
    await using panel = await openPanel({ ownRoutes: true });
    const admin = (await openAdministration(panel.world))();
    const model = 'google/nano-banana-pro';
    await admin.saveRate({ provider: 'replicate', model, rates: { image: '0.05' } });
    const page = await panel.operator();
    await page.goto('/operator/connect?provider=replicate');
    await page.getByLabel('Address').fill(`${upstream.url}/v1`);
    await page.getByRole('textbox', { name: /^Key|^Token/ }).fill(replicateToken);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page
      .getByText(/^From your own rate/)
      .first()
      .waitFor();
    await settles(() => page.getByLabel('Cost of an image, USD: Fast').inputValue(), '0.05');
    await page.getByRole('button', { name: 'Serve these 3 models' }).click();
    await page.getByRole('button', { name: 'Back to the models' }).click();
    await page.getByRole('button', { name: 'Add a new model' }).click();
    // Chooses the model that is already selected, which changes nothing.
    await page.getByRole('combobox', { name: 'Model of the provider' }).click();
    await page.getByRole('option', { name: model }).click();
    const cost = page.getByLabel('Cost of an image, USD');
    await page.getByText(/^From your own rate, as of \d{4}-/).waitFor();
    await settles(() => cost.inputValue(), '0.05');
    await cost.fill('0.04');
    await page.getByText(/^0.05 USD by your own rate/).waitFor();
    await page.getByLabel('Price of an image at 1K').fill('0.09');
    await page.getByRole('button', { name: 'Add the model' }).click();
    await page.getByRole('button', { name: /^Make a test image/ }).waitFor();
    const { models } = await admin.exportModels();
    assert.deepEqual(
      models.map((one) => [one.id, pick(one, 'routes', 0, 'cost')]),
      [
        ['nb', '0.05'],
        ['nb2', '0.05'],
        ['pro', '0.05'],
        ['nano-banana-pro', '0.04'],
      ],
    );
  });

  test('a dropped workflow becomes a model, after the roles found in it are confirmed', async () => {
    await using comfy = await startComfyUi();
    Object.assign(comfy.size, { width: 512, height: 512 });
    await using panel = await openPanel({ ownRoutes: true });
    const page = await panel.operator();
    await page.goto('/operator/connect?provider=comfyui');
    await page.getByLabel('Address').fill(comfy.url);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Drop a workflow here').waitFor();

    const file = page.locator('input[type=file]');
    await file.setInputFiles(fileOf('editor.json', { nodes: [], links: [] }));
    await page.getByText(/format of ComfyUI’s editor/).waitFor();
    await file.setInputFiles(fileOf('refined.json', sdxlRefiner));
    await page.getByText('Check this before you go on').waitFor();
    await drop(page, 'ink_and_paper.json', stableDiffusion);
    await page.getByRole('checkbox', { name: 'Positive: text' }).first().waitFor();
    await settles(() => page.getByLabel('Name').inputValue(), 'ink and paper');
    await page.getByLabel('Checkpoint', { exact: true }).selectOption('sd_xl_base.safetensors');
    await page.getByRole('checkbox', { name: 'scheduler' }).uncheck();
    await page.getByLabel('Price of an image').fill('0.01');
    await checkScreen(page, 'a workflow');
    await page.getByRole('button', { name: 'Add the model' }).click();
    await page.getByRole('button', { name: 'Make a test image · 0.01 USD' }).click();
    await page.getByRole('region', { name: 'Test image' }).getByRole('img').waitFor();
    const sent = pick(comfy.of('submit').at(-1)?.json(), 'prompt');
    assert.match(String(pick(sent, '6', 'inputs', 'text')), /^A red fox/);
    assert.equal(pick(sent, '4', 'inputs', 'ckpt_name'), 'sd_xl_base.safetensors');
    await page.goto(panel.at('/make?model=ink-and-paper'));
    await page.getByLabel('Steps').waitFor();
    assert.equal(await page.getByLabel('Scheduler').count(), 0);
  });
});

async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await field.focus();
  await page.keyboard.press('Control+V');
}

async function checkScreen(page: Page, name: string): Promise<void> {
  await check(page, name);
  await assertFits(page, name);
}

function fileOf(name: string, json: object) {
  return { name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(json)) };
}

async function drop(page: Page, name: string, json: object): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], fileName, { type: 'application/json' }));
      return transfer;
    },
    [name, JSON.stringify(json)] as const,
  );
  const zone = page.getByRole('region', { name: 'File of the workflow' });
  await zone.dispatchEvent('drop', { dataTransfer: data });
}
