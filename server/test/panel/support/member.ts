export const email = 'ada@example.com';
/** The body of a job of the playground. */
export const text = { model: 'nb2', prompt: 'a fox', aspect_ratio: '1:1', resolution: '2K' } as const;
