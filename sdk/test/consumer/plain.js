import { Darkroom } from '@darkroom/sdk';

const darkroom = new Darkroom({
  baseUrl: process.env.DARKROOM_URL,
  apiKey: process.env.DARKROOM_API_KEY,
});
const job = await darkroom.generate('nb2', { prompt: 'a red fox in the snow', aspect_ratio: '4:3' });
const image = await darkroom.downloadImage(job);
process.stdout.write(`${job.status} ${image.size} ${image.type}\n`);
