import type { Command } from 'commander';
import { readBytes } from '../../files/read-bytes.ts';
import { type Answer, withOperator } from '../../operator.ts';
import { printFacts, printJson, tell } from '../../output.ts';

export function addBrand(program: Command): void {
  const brand = program
    .command('brand')
    .helpCommand(false)
    .description('show, set, remove name, logo and colour that people see');
  brand
    .command('show')
    .description('the name, logo and colour that people see')
    .option('--json', 'print one JSON object')
    .action(showBrand);
  brand
    .command('set')
    .description('set the brand, or replace it; without a logo, the current one stays')
    .argument('<name>', 'such as "Acme Images"')
    .option('--accent <colour>', 'of buttons, such as #0b7285')
    .option('--logo <file>', 'PNG, JPEG, WebP or SVG of at most 256 KiB; none: no logo')
    .option('--support-email <email>', 'where people find help')
    .option('--terms-url <url>', 'the terms of use')
    .option('--privacy-url <url>', 'what is kept of people')
    .option('--json', 'print one JSON object')
    .action(setBrand);
  brand
    .command('remove')
    .description('this is Darkroom again')
    .option('--json', 'print one JSON object')
    .action(removeBrand);
}

interface SetOptions {
  accent?: string;
  logo?: string;
  supportEmail?: string;
  termsUrl?: string;
  privacyUrl?: string;
  json?: true;
}

async function showBrand({ json }: { json?: true }): Promise<void> {
  const brand = await withOperator((operator) => operator.getBrand());
  if (json) printJson(brand);
  else if (brand.name === null)
    tell('There is no brand: this is Darkroom. Set one: darkroom brand set "Acme Images"');
  else printBrand(brand);
}

async function setBrand(
  name: string,
  { accent, logo, supportEmail, termsUrl, privacyUrl, json }: SetOptions,
): Promise<void> {
  const file =
    logo === undefined || logo === 'none' ? null : (await readBytes(logo, 'a logo')).toString('base64');
  const brand = await withOperator((operator) =>
    operator.saveBrand({
      name,
      ...(accent !== undefined && { accent }),
      ...(logo !== undefined && { logo: file }),
      ...(supportEmail !== undefined && { support_email: supportEmail }),
      ...(termsUrl !== undefined && { terms_url: termsUrl }),
      ...(privacyUrl !== undefined && { privacy_url: privacyUrl }),
    }),
  );
  if (json) printJson(brand);
  else printBrand(brand);
}

async function removeBrand({ json }: { json?: true }): Promise<void> {
  await withOperator((operator) => operator.removeBrand());
  if (json) printJson({ removed: true });
  else tell('The brand is removed: this is Darkroom.');
}

function printBrand(brand: Answer<'getBrand'>): void {
  const { name, version, accent, logo, ...links } = brand;
  const facts = {
    ...{ name, version, accent, logo: logo && `${logo.width} × ${logo.height} pixels` },
    ...{ support: links.support_email, terms: links.terms_url, privacy: links.privacy_url },
  };
  printFacts(Object.entries(facts).map(([fact, value]) => [fact, String(value ?? 'none')]));
}
