import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { adminSender, makeAdminKey } from '../../server/test/admin/admin-client.ts';
import { fill, pagesOf } from './full-world.ts';
import { lookedAt } from './read-words.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

/** The API's errors, in English. */
const problems = /^(The image model refused .* The price is released\.|There is no such job\.)$/;

suite('languages', { skip }, () => {
  test('the panel is in the browser’s language, and in another once the person chooses it', async () => {
    await using panel = await openPanel();
    const page = await panel.operator({ locale: 'de-AT' });
    await page.goto('/profile');
    await page.getByRole('heading', { name: 'Profil und Sicherheit' }).waitFor();
    await settles(() => page.getAttribute('html', 'lang'), 'de-AT');
    await page
      .getByText(/^vor \d+ s|gerade eben/)
      .first()
      .waitFor();
    await page.getByLabel('Sprache').selectOption({ label: '简体中文' });
    await page.getByRole('heading', { name: '个人资料与安全' }).waitFor();
    await settles(() => page.getAttribute('html', 'lang'), 'zh-Hans');

    // Another browser of the same person prefers English, and shows the chosen language.
    const other = await panel.visitor();
    await other.context().addCookies(await page.context().cookies());
    await other.goto(panel.at('/balance'));
    await other.getByRole('heading', { name: '余额', exact: true }).waitFor();
    await other.goto('/profile');
    await other.getByLabel('语言').selectOption('');
    await other.getByRole('heading', { name: 'Profile and security' }).waitFor();
  });

  test('a page works whatever the browser calls its language, and is in English if the catalogue is missing', async () => {
    await using panel = await openPanel();
    const odd = await panel.visitor();
    await odd.addInitScript(() =>
      Object.defineProperty(navigator, 'languages', { value: ['en-US@posix', 'de'] }),
    );
    await odd.goto('/sign-in');
    await odd.getByRole('heading', { name: 'Sign in' }).waitFor();

    const german = await panel.visitor({ locale: 'de-DE' });
    await german.route(/\/assets\/de-/, (route) => route.fulfill({ status: 404 }));
    // An older server does not report captchas.
    await german.route('**/panel/sign-in', async (route) => {
      const { captcha: _, ...answer } = await (await route.fetch()).json();
      await route.fulfill({ json: answer });
    });
    await german.goto('/sign-in');
    await german.getByText('Forgot your password?').waitFor();
    await settles(() => german.getAttribute('html', 'lang'), 'en');
  });

  test('where a comma is the decimal sign, amounts are typed with a comma, and none is read as a smaller one', async () => {
    await using panel = await openPanel();
    const page = await panel.operator({ locale: 'de-DE' });
    await page.goto(`/operator/accounts/${panel.world.accountId}`);
    await page.getByRole('button', { name: 'Gutschrift', exact: true }).click();
    const amount = page.getByLabel('Betrag, USD');
    await page.getByLabel('Grund').fill('Rechnung 7');
    await amount.fill('1.000');
    await page.getByRole('button', { name: 'Konto aufladen' }).click();
    await page.getByText('Schreiben Sie die Zahl ohne Punkt').waitFor();
    await amount.fill('1234,50');
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Konto aufladen' }).click();
    assert.equal((await asked).postDataJSON().amount, '1234.50');
    await amount.waitFor({ state: 'detached' });
  });

  test('a model’s numbers are typed like amounts, and are saved and requested correctly', async () => {
    await using panel = await openPanel({ ownRoutes: true });
    const page = await panel.operator({ locale: 'de-DE' });
    await page.goto('/operator/models/nb?view=settings');
    await page.getByRole('button', { name: 'Parameter hinzufügen' }).click();
    const parameter = page.getByRole('group', { name: 'Neuer Parameter' });
    await parameter.getByLabel('Typ').selectOption({ label: 'Zahl' });
    await parameter.getByLabel('Standard').fill('1,5');
    await parameter.getByLabel('Mindestens').fill('-1.000');
    await parameter.getByText('Schreiben Sie die Zahl ohne Punkt').waitFor();
    await parameter.getByLabel('Mindestens').fill('-1000');
    await parameter.getByLabel('Name').fill('guidance');
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Änderungen ansehen' }).click();
    assert.deepEqual((await asked).postDataJSON().models[0].parameters.guidance, {
      type: 'number',
      default: 1.5,
      minimum: -1000,
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Speichern' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.goto(panel.at('/make?model=nb'));
    const field = page.getByLabel('Guidance');
    await settles(() => field.getAttribute('placeholder'), '1,5');
    await field.fill('0,25');
    await page.getByLabel('Prompt').first().fill('a fox');
    const made = page.waitForRequest((request) => /generations/.test(request.url()));
    await page.keyboard.press('Control+Enter');
    assert.deepEqual((await made).postDataJSON().parameters, { guidance: 0.25 });
  });

  test('the server’s texts for operators are in the panel’s language', async () => {
    await using panel = await openPanel({ env: { DARKROOM_OIDC_NAME: 'none' } });
    const page = await panel.operator({ locale: 'de-DE' });
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await page.goto('/operator/system');
    await page.locator('summary').click();
    await row('DARKROOM_CDN_URL').getByText('Adresse der Links zu Ergebnissen.').waitFor();
    await row('DARKROOM_CDN_URL').getByText('die öffentliche URL').waitFor();
    await row('DARKROOM_OIDC_NAME').getByText('none', { exact: true }).waitFor();
    await page.goto('/operator/connect');
    await page.getByRole('link', { name: 'fal' }).click();
    await page.getByText('Kopieren Sie einen ganzen Schlüssel, KEY_ID:KEY_SECRET').waitFor();
    await page.getByText('außer wenn fal über einen Proxy erreicht wird').waitFor();
    await page.goto('/operator/models/nb');
    await page.getByText('Am schnellsten und günstigsten').waitFor();
  });

  test('the audit log and a used link say what happened in the panel’s language', async () => {
    await using panel = await openPanel();
    const page = await panel.operator({ locale: 'de-DE' });
    const { key } = await makeAdminKey(panel.world, 'the shop', ['accounts', 'money']);
    const send = adminSender(panel.world, key);
    await send('POST', '/accounts', { name: 'acme' });
    await send('PUT', '/price-groups/resellers', { factor: '0.8' });
    await page.goto('/operator/audit');
    for (const who of ['Befehlszeile', 'Admin-Schlüssel the shop'])
      await page.getByRole('cell', { name: who, exact: true }).first().waitFor();
    await page.goto('/operator/prices');
    await page.getByText('Admin-Schlüssel the shop', { exact: true }).waitFor();
    await page.goto('/operator/audit');
    const opened = page.getByRole('row').filter({ hasText: 'Link geöffnet' });
    await opened.getByText('mit Einmal-Link').last().waitFor();
    await page.context().clearCookies();
    await page.goto(panel.world.app.panelLink ?? '');
    await page.getByText('Dieser Link wurde schon verwendet').waitFor();
    await page.getByText('Einmal-Link ungültig').waitFor();
  });

  test('words that are half as long again are cut off on no page, and all of them were translated', async () => {
    await using panel = await openPanel({
      env: { DARKROOM_SHARING: 'true' },
      config: { publicVerify: true, statusPage: true },
    });
    const full = await fill(panel);
    const page = await panel.operator();
    await page.context().addInitScript(() => localStorage.setItem('darkroom-language', 'long'));
    const wrong: string[] = [];
    for (const path of [...pagesOf(panel, full), '/no/such/page']) {
      await page.goto(path);
      await page.locator('h1').first().waitFor();
      await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        for (const text of await lookedAt(page, problems)) wrong.push(`${path}, ${width} px: ${text}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
});
