import Type, { type Static } from 'typebox';
import { logoPath } from '../../../../base/brand/brand.ts';
import type { BrandVersion } from '../../../../base/brand/brand-store.ts';
import { brandOf } from '../../../../base/brand/live-brand.ts';
import { maxBrandName, type WantedBrand } from '../../../../base/brand/save-brand.ts';
import { closed, nullable, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { authorSchema, presentAuthor } from '../audit/author-json.ts';

const fill = Type.Object(
  { fill: Type.String(), text: Type.String({ description: 'The colour of text on it.' }) },
  { title: 'Fill' },
);

export const coloursSchema = Type.Object(
  { light: fill, dark: fill },
  {
    title: 'BrandColours',
    description:
      'The colours of buttons on light and on dark pages: the accent, mixed with ink where it would not be visible.',
  },
);

export const brandSchema = Type.Object(
  {
    version: Type.Integer({ description: 'Incremented by each change; 0 before the first.' }),
    name: nullable(Type.String(), { description: "Null: no brand is set, and Darkroom's own is shown." }),
    accent: nullable(Type.String(), { description: 'Such as #0b7285; null: ink.' }),
    colours: coloursSchema,
    logo: Type.Unsafe<{ url: string; width: number; height: number } | null>({
      ...Type.Object(
        { url: Type.String(), width: Type.Integer(), height: Type.Integer() },
        { title: 'BrandLogo', description: 'A public PNG, and its size in CSS pixels.' },
      ),
      type: ['object', 'null'],
    }),
    support_email: nullable(Type.String()),
    terms_url: nullable(Type.String()),
    privacy_url: nullable(Type.String()),
    changed_at: nullable(time('When it was changed.')),
    changed_by: nullable(Type.String()),
    author: nullable(authorSchema),
  },
  { title: 'Brand' },
);

export const brandRequest = closed(
  {
    version: Type.Optional(
      Type.Integer({
        description:
          'The version on which the change is based. If there is a newer one, the call fails with `changed_meanwhile`.',
      }),
    ),
    name: Type.String({ maxLength: 2 * maxBrandName, description: `At most ${maxBrandName} characters.` }),
    accent: Type.Optional(nullable(Type.String({ maxLength: 7 }), { description: 'Such as #0b7285.' })),
    logo: Type.Optional(
      nullable(Type.String(), {
        description:
          'A PNG, JPEG, WebP or SVG file of at most 256 KiB, in base64, which is converted to PNG. Null: none; absent: unchanged.',
      }),
    ),
    support_email: Type.Optional(nullable(Type.String({ maxLength: 254 }))),
    terms_url: Type.Optional(nullable(Type.String({ maxLength: 2_000 }))),
    privacy_url: Type.Optional(nullable(Type.String({ maxLength: 2_000 }))),
  },
  { title: 'NewBrand' },
);

export function presentBrand({ version, saved }: BrandVersion): Static<typeof brandSchema> {
  const { accent: colours, logo } = brandOf(saved);
  return {
    version,
    name: saved?.name ?? null,
    accent: saved?.accent ?? null,
    colours,
    logo: logo && { url: logoPath(logo), width: logo.width, height: logo.height },
    support_email: saved?.support ?? null,
    terms_url: saved?.termsUrl ?? null,
    privacy_url: saved?.privacyUrl ?? null,
    changed_at: saved && toIso(saved.changedAt),
    changed_by: saved?.changedBy ?? null,
    author: saved && presentAuthor({ name: saved.changedBy }),
  };
}

export function wantedBrandOf({
  name,
  accent = null,
  support_email: support = null,
  terms_url: termsUrl = null,
  privacy_url: privacyUrl = null,
}: Static<typeof brandRequest>): Omit<WantedBrand, 'logo'> {
  return { name, accent, support, termsUrl, privacyUrl };
}
