import { Darkroom, DarkroomError, type DoneJob, type Job, verifyWebhook } from '@darkroom/sdk';

const darkroom = new Darkroom({ baseUrl: 'http://127.0.0.1:3000', apiKey: 'dk_' });
export const done: Promise<DoneJob> = darkroom.generate('nb', { prompt: 'a fox', aspect_ratio: '1:1' });
export const job: Promise<Job> = darkroom.waitForJob('a', { onChange: ({ status }) => void status });
export const codeOf = (error: unknown) => (error instanceof DarkroomError ? error.code : null);
export const verify = (request: Request) =>
  request.text().then((body) => verifyWebhook(body, request.headers, 'whsec_'));

// @ts-expect-error a request has a prompt
void darkroom.createJob('nb', { aspect_ratio: '1:1' });
