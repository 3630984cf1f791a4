import type { Page } from 'playwright-core';

export interface Over {
  path: string;
  open(page: Page): Promise<void>;
  /** True if only phones show this screen. */
  narrow?: boolean;
}

/** Every dialog, menu and popover of the panel that opens without an outside service, such as a payment provider. */
export function dialogsOf(home: string, account: string): Record<string, Over> {
  return {
    ...ofShell(home),
    ...ofImages(`${home}/jobs?status=done`),
    ...ofMaking(home),
    ...ofAccount(home),
    ...ofOperators(`/operator/accounts/${account}`),
    ...ofModels(),
  };
}

type Pressed = string | RegExp;

function press(...names: Pressed[]) {
  return async (page: Page) => {
    for (const name of names) await page.getByRole('button', { name }).first().click();
    await page.getByRole('dialog').first().waitFor();
  };
}

function unfold(...names: Pressed[]) {
  return async (page: Page) => {
    for (const name of names) await page.getByRole('button', { name }).first().click();
    await page.getByRole('menu').or(page.getByRole('listbox')).first().waitFor();
  };
}

function keys(...pressed: string[]) {
  return async (page: Page) => {
    await page.locator('[data-index="0"]').focus();
    for (const key of pressed) await page.keyboard.press(key);
    await page.getByRole('dialog').first().waitFor();
  };
}

async function selectAll(page: Page): Promise<void> {
  await page.locator('[data-index="0"]').focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('region', { name: 'Selected images' }).waitFor();
}

function selected(open: (page: Page) => Promise<void>) {
  return async (page: Page) => {
    await selectAll(page);
    await open(page);
  };
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').first().waitFor();
}

function ofShell(home: string): Record<string, Over> {
  return {
    palette: { path: home, open: openPalette },
    'palette-images': {
      path: home,
      async open(page) {
        await openPalette(page);
        await page.getByRole('combobox').first().fill('lighthouse');
        await page.getByRole('option').locator('img').first().waitFor();
      },
    },
    'person-menu': { path: home, open: unfold('Ada') },
    'account-switch': { path: home, open: unfold(/^Account .*, change$/) },
    drawer: { path: home, open: press('Menu'), narrow: true },
  };
}

function ofImages(path: string): Record<string, Over> {
  return {
    lightbox: { path, open: keys('Enter') },
    'lightbox-tag': { path, open: keys('Enter', 't') },
    survey: { path, open: keys(' ', 'Shift+ArrowRight', 'Shift+ArrowRight', 'c') },
    'keys-help': { path, open: keys('?') },
    'delete-image': { path, open: keys(' ', 'Delete') },
    selected: { path, open: selectAll },
    'selected-presets': { path, open: selected(unfold('Presets')) },
    'selected-album': { path, open: selected(unfold('Add to album')) },
    'selected-tag': { path, open: selected(press('Tag')) },
    share: { path, open: selected(press('Share')) },
    filters: { path, open: async (page) => page.getByRole('button', { name: /^Filters/ }).click() },
    colours: { path, open: press(/^Filters/, 'Any colour') },
    presets: {
      path,
      open: selected(async (page) => {
        await page.getByRole('button', { name: 'Presets' }).click();
        await page.getByRole('menuitem', { name: 'New preset' }).click();
        await page.getByLabel('Format').selectOption('JPEG');
      }),
    },
    'public-links': { path, open: press('Public links') },
  };
}

function ofMaking(home: string): Record<string, Over> {
  const make = `${home}/make`;
  return {
    'make-empty': { path: make, open: async () => {} },
    'make-model': { path: make, open: press(/^Model:/) },
    'make-ratio': { path: make, open: press(/^Aspect ratio:/) },
    'make-resolution': { path: make, open: press(/^Resolution:/) },
    'make-count': { path: make, open: press(/^Images:/) },
    'make-compare': { path: make, open: press(/^Compare:/) },
    'make-from-images': {
      path: make,
      open: async (page) => page.getByRole('button', { name: 'From images' }).click(),
    },
    'new-album': { path: `${home}/albums`, open: press('New album') },
    'batch-prices': {
      path: `${home}/batches/new`,
      async open(page) {
        await page.getByLabel('Prompts').fill('a lighthouse at dusk\na red fox in the snow\na heron');
        await page.getByRole('button', { name: /^Make 3/ }).waitFor();
      },
    },
  };
}

function ofAccount(home: string): Record<string, Over> {
  const [webhooks, balance] = [`${home}/webhooks`, `${home}/balance`];
  return {
    'add-endpoint': { path: webhooks, open: press('Add endpoint') },
    'rotate-secret': { path: webhooks, open: press('Rotate') },
    'replay-failed': { path: webhooks, open: press(/^Replay failed/) },
    'change-alerts': { path: balance, open: press('Change alerts') },
    'redeem-voucher': { path: balance, open: press('Redeem voucher') },
    'roll-key': { path: `${home}/keys`, open: press(/^Roll /) },
    'disable-key': { path: `${home}/keys`, open: press(/^Disable /) },
    'key-limits': {
      path: `${home}/keys?new=yes`,
      async open(page) {
        await page.getByText('Limits', { exact: true }).click();
      },
    },
    authenticator: { path: '/profile', open: press('Set up an authenticator') },
  };
}

function ofOperators(path: string): Record<string, Over> {
  return {
    credit: { path, open: press('Credit') },
    'disable-account': { path, open: press('Disable') },
    'change-limits': { path, open: press('Change limits') },
    'change-kept': { path, open: press('Change what is kept') },
    'invite-member': { path, open: press('Invite a member') },
    'invitation-link': { path, open: press('Invite a member', 'Make the link') },
    'revoke-invitation': { path, open: press(/^Revoke /) },
    'person-link': { path, open: press(/^New link for /) },
    'remove-member': { path, open: press(/^Remove /) },
    'delete-person': { path, open: press(/^Delete /) },
    'create-account': { path: '/operator/accounts', open: press('Create account') },
    'invite-operator': { path: '/operator/accounts', open: press('Invite an operator') },
    rate: { path: '/operator/rates', open: press('Add a rate') },
    'price-group': { path: '/operator/prices', open: press(/^Change /) },
    'remove-price-group': { path: '/operator/prices', open: press(/^Remove/) },
  };
}

function ofModels(): Record<string, Over> {
  return {
    'pause-everything': { path: '/operator/models', open: press('Pause everything') },
    'pause-model': { path: '/operator/models', open: press(/^Pause (?!everything)/) },
    'add-model': { path: '/operator/models', open: press('Add a model') },
    'remove-model': { path: '/operator/models/nb2', open: press('Remove') },
    'save-model': {
      path: '/operator/models/nb2?view=settings',
      async open(page) {
        await page.getByLabel('Description').fill('More detail');
        await press('Review changes')(page);
      },
    },
    'model-json': {
      path: '/operator/models/nb2?view=settings',
      open: async (page) => page.getByRole('button', { name: 'Edit as JSON' }).click(),
    },
    'model-versions': { path: '/operator/models/nb2?view=versions', open: async () => {} },
  };
}
