export const email = 'ada@example.com';
export const makeImage = 'POST /api/v1/:model/text-generations';
export const editImage = 'POST /api/v1/:model/url-generations';
/** The request for one image that the page *Make* sends. */
export const text = {
  params: { model: 'nb2' },
  body: { prompt: 'a fox', aspect_ratio: '1:1', resolution: '2K' },
} as const;
