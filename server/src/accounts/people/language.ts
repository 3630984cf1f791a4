/** The languages of the panel, of emails and of public pages. */
export const languages = ['en', 'de', 'zh'] as const;
export type Language = (typeof languages)[number];

/** A valid weight (RFC 9110, 12.4.2). */
const weights = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** Picks our language with the highest weight in `Accept-Language` (RFC 9110, 12.5.4). */
export function heardLanguage(accepted: string | null | undefined): Language | undefined {
  const asked = (accepted ?? '').split(',').flatMap((one) => {
    const [tag = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    const language = languages.find((own) => own === tag.split('-', 1)[0]);
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? '1';
    // An invalid weight counts as 0.
    return language && weights.test(weight) && Number(weight) > 0
      ? [{ language, weight: Number(weight) }]
      : [];
  });
  return asked.toSorted((a, b) => b.weight - a.weight)[0]?.language;
}
