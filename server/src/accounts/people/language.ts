/** Languages of the panel and of emails. */
export const languages = ['en', 'de', 'zh'] as const;
export type Language = (typeof languages)[number];

/** The first of `Accept-Language` that is one of ours; undefined where none is. Browsers send them in the order of preference. */
export function heardLanguage(accepted: string | null): Language | undefined {
  const asked = (accepted ?? '').split(',').map((tag) => tag.trim().split(/[-;]/, 1)[0]?.toLowerCase());
  return asked.flatMap((tag) => languages.find((language) => language === tag) ?? [])[0];
}
