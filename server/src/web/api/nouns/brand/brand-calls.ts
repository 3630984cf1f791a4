import Type from 'typebox';
import type { PaymentSource } from '../../../../accounts/payments/open-payments.ts';
import { readBrand, type SavedBrand } from '../../../../base/brand/brand-store.ts';
import { brandOf } from '../../../../base/brand/live-brand.ts';
import { checkBrand, removeBrand, saveBrand } from '../../../../base/brand/save-brand.ts';
import type { Database } from '../../../../base/db/database.ts';
import { drawLogo, maxLogoBytes } from '../../../../images/logos/draw-logo.ts';
import { installationCall } from '../../installation-call.ts';
import { brandRequest, brandSchema, coloursSchema, presentBrand, wantedBrandOf } from './brand-json.ts';
import { emailSampleSchema, emailSamples } from './email-samples.ts';

export interface BrandDeps {
  database: Database;
  currency: string;
  payments: PaymentSource;
  urls: { publicUrl: string };
  followChanges(): Promise<void>;
}

const tag = 'Brand';
/** The maximum size of a body, enough for a logo in base64 and the other fields. */
const maxBytes = 2 * maxLogoBytes;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function brandCalls(deps: BrandDeps) {
  const { database, currency, payments, urls } = deps;
  const present = async () => presentBrand(await readBrand(database.read));
  const samplesAs = (brand: Parameters<typeof emailSamples>[0]['brand']) =>
    emailSamples({ brand, currency, publicUrl: urls.publicUrl, takesPayments: payments.current() !== null });
  return {
    get: installationCall({
      tag,
      operationId: 'getBrand',
      summary: 'Read the brand: name, logo, colour and addresses that people see',
      reply: brandSchema,
      handle: present,
    }),

    save: installationCall({
      tag,
      operationId: 'saveBrand',
      summary: 'Set or replace the brand',
      description:
        'Shows it in the panel, in emails, on public pages and in the OpenAPI documents, within a second on every process.',
      body: brandRequest,
      maxBytes,
      reply: brandSchema,
      errors: ['changed_meanwhile'],
      async handle({ body, by }) {
        const wanted = wantedBrandOf(body);
        checkBrand(wanted);
        await saveBrand(deps, { ...wanted, logo: await readLogo(body.logo), version: body.version }, by);
        await deps.followChanges();
        return present();
      },
    }),

    remove: installationCall({
      tag,
      operationId: 'removeBrand',
      summary: "Remove the brand, and return to Darkroom's own",
      status: 204,
      reply: Type.Null({ description: 'There is none.' }),
      errors: ['changed_meanwhile'],
      async handle({ by }) {
        await removeBrand(deps, by);
        await deps.followChanges();
        return null;
      },
    }),

    preview: installationCall({
      tag,
      operationId: 'previewBrand',
      summary: 'Preview a brand without changing anything',
      body: brandRequest,
      maxBytes,
      reply: Type.Object(
        {
          colours: coloursSchema,
          logo: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'A `data:` address.' }),
          emails: Type.Array(emailSampleSchema),
        },
        { title: 'BrandPreview' },
      ),
      async handle({ body }) {
        const checked = checkBrand(wantedBrandOf(body));
        const drawn = await readLogo(body.logo);
        const kept = drawn === undefined ? (await readBrand(database.read)).saved?.logo : drawn;
        const brand = brandOf({ ...checked, logo: kept ?? null, changedAt: 0, changedBy: '' });
        const logo = brand.logo && `data:image/png;base64,${brand.logo.bytes.toString('base64')}`;
        return { colours: brand.accent, logo, emails: samplesAs(brand) };
      },
    }),

    emails: installationCall({
      tag,
      operationId: 'listEmails',
      summary: 'Show each email that people may get, with sample data',
      reply: Type.Object({ data: Type.Array(emailSampleSchema) }, { title: 'EmailSampleList' }),
      handle: async () => ({ data: samplesAs(brandOf((await readBrand(database.read)).saved)) }),
    }),
  };
}

/** Null removes the logo, and undefined keeps the current one. */
async function readLogo(file: string | null | undefined): Promise<SavedBrand['logo'] | undefined> {
  if (typeof file !== 'string') return file;
  const { bytes, ...drawn } = await drawLogo(Buffer.from(file, 'base64'));
  return { ...drawn, bytes: bytes.toString('base64') };
}
