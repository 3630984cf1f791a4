/** What neither the SDK nor the command line has. */
export const withoutClients = [
  ...['GET /jobs.csv', 'POST /jobs/{job_id}/again', 'GET /uploads', 'GET /uploads/{upload_id}'],
  ...['GET', 'DELETE'].map((method) => `${method} /client-tokens/{token_id}`),
  'GET /client-tokens',
];
/** The command line has these for operators, of any account: `darkroom webhook … --account`. */
export const withoutVerb = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'].flatMap((method) => [
  `${method} /jobs/images.zip`,
  `${method} /events`,
  `${method} /webhooks`,
  `${method} /deliveries`,
  `${method} /client-tokens`,
  `${method} /models/{model_id}`,
  `${method} /uploads/{upload_id}`,
  `${method} /tags`,
  `${method} /statements`,
  `${method} /statements/{month}`,
  `${method} /jobs/{job_id}/tags`,
  `${method} /jobs/{job_id}/tags/{tag}`,
  `${method} /jobs/{job_id}/star`,
]);
