/** The media types of stored images, and their file extensions. */
export const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;

export type StoredMediaType = keyof typeof extensions;
