/** What images are stored as, and how their files end. */
export const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;

export type StoredMediaType = keyof typeof extensions;
