export const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;

export type StoredMediaType = keyof typeof extensions;

/** A key without an extension is a PNG, because PNG was once the only format. */
export function mediaTypeOf(key: string): StoredMediaType {
  const types = Object.keys(extensions) as StoredMediaType[]; // `extensions` is a constant
  return types.find((one) => key.endsWith(`.${extensions[one]}`)) ?? 'image/png';
}
