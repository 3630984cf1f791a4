import type { BrowserContext, Page } from 'playwright-core';
import { startComfyUi } from '../../server/test/emulators/comfyui.ts';
import { falKey, startFal } from '../../server/test/emulators/fal.ts';
import { stableDiffusion } from '../../server/test/providers/comfyui-workflows.ts';

type Write = (name: string, png: Buffer) => Promise<void>;

/** Runs last, because the connection made here must not appear on other screens. */
export async function shootConnecting(
  context: BrowserContext,
  settledMs: number,
  write: Write,
): Promise<void> {
  await using fal = await startFal();
  await using comfy = await startComfyUi();
  for (const { class_type } of Object.values(stableDiffusion))
    if (!/^(KSampler|CheckpointLoader)/.test(class_type)) comfy.declared[class_type] = { required: {} };
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 860 });
  const shoot = async (name: string, fullPage = false) => {
    await page.waitForTimeout(settledMs);
    await write(name, await page.screenshot({ fullPage }));
  };
  await page.goto('/operator/connect');
  await page.getByRole('link', { name: /^fal/ }).waitFor();
  await shoot('connect');
  await page.getByRole('link', { name: /^fal/ }).click();
  await connect(page, fal.url, falKey);
  await page.getByRole('button', { name: /^Serve these/ }).waitFor();
  await shoot('connect-models');
  await page.getByRole('button', { name: /^Serve these/ }).click();
  await page.getByRole('button', { name: /^Make a test image/ }).waitFor();

  await page.goto('/operator/connect?provider=comfyui');
  await connect(page, comfy.url, '');
  const buffer = Buffer.from(JSON.stringify(stableDiffusion));
  const file = { name: 'ink-and-paper.json', mimeType: 'application/json', buffer };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('heading', { name: 'What goes where' }).waitFor();
  await shoot('workflow');
  await page.goto('/operator/connections');
  await page.getByRole('button', { name: 'Actions for fal' }).waitFor();
  await shoot('connections');
  await page.close();
}

async function connect(page: Page, address: string, key: string): Promise<void> {
  await page.getByLabel('Address').fill(address);
  await page.getByRole('textbox', { name: /^Key/ }).fill(key);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
}
