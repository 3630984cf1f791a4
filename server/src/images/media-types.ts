/** The media types of stored images, and their file extensions. */
export const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;

export type StoredMediaType = keyof typeof extensions;

/** By the extension of a key or a file name of ours; results were PNG before they could be anything else. */
export function mediaTypeOf(key: string): StoredMediaType {
  const types = Object.keys(extensions) as StoredMediaType[]; // its own keys
  return types.find((one) => key.endsWith(`.${extensions[one]}`)) ?? 'image/png';
}
