import type { Job, JobErrorCode, ModelId } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';

const specifiedNames: Record<ModelId, string> = {
  nb: t('Fast'),
  nb2: t('Higher quality'),
  pro: t('Top tier'),
};

export function modelName(id: ModelId): string {
  return specifiedNames[id] ?? id;
}

/** What people can do about a failed job. The error itself says what happened. */
export const advice: Record<JobErrorCode, string> = {
  safety_blocked: t('Reword the prompt; the same one will be blocked again.'),
  policy_refused: t('Change the prompt or the input images; the policy of this service refuses such images.'),
  no_image: t('Ask for an image more explicitly, or run it again: models sometimes answer with text only.'),
  invalid_input: t('Check the input images: one of them could not be used.'),
  provider_unavailable: t('The provider was down or busy. Run it again later.'),
  provider_rejected: t(
    'The provider does not accept this request. Change the prompt, the ratio or the resolution.',
  ),
  timed_out: t('It took too long. Run it again; a smaller resolution is faster.'),
  deadline_exceeded: t('It missed its deadline. Run it again with more time.'),
  interrupted: t('The server stopped during every attempt. Run it again.'),
  cancelled: t('It was cancelled before it started.'),
  internal: t('A server error. Give an operator the job id.'),
};

type Queue = NonNullable<Job['queue']>;

const waitReasons: Record<Queue['reason'], string> = {
  turn: t('Others are first'),
  account_limit: t('As many jobs run as may at once'),
  route_full: t('Next when a slot is free'),
  route_resting: t('The provider keeps failing; it is tried again after a pause'),
  paced: t('The provider’s limit for this minute is reached'),
  paused: t('The model is paused'),
  retry: t('Waiting for the next attempt'),
};

export function waitWords({ reason, eta }: Queue): string {
  const why = waitReasons[reason];
  return eta
    ? t('{why} · done in about {p50}, rarely later than in {p95}', {
        why,
        p50: inWords(eta.p50),
        p95: inWords(eta.p95),
      })
    : why;
}

function inWords(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 90) return t('{s} s', { s: whole });
  return whole < 5_400
    ? t('{min} min', { min: Math.round(whole / 60) })
    : t('{h} h', { h: Math.round(whole / 3_600) });
}

/** The width-to-height ratio of the image, or the requested ratio if there is no image. */
export function ratioOf({ result, aspect_ratio }: Pick<Job, 'result' | 'aspect_ratio'>): number {
  if (result) return result.width / result.height;
  const [width, height] = aspect_ratio.split(':').map(Number);
  return width && height ? width / height : 1;
}

/** Whether the image was deleted, or the prompt of a job without an image. `retention` may delete prompts earlier. */
export function isDeleted({ result, prompt }: Pick<Job, 'result' | 'prompt'>): boolean {
  return result ? result.image_url === undefined : prompt === '';
}

export function promptOf({ prompt }: Pick<Job, 'prompt'>): string {
  return prompt || t('The prompt was deleted');
}

export function shortPrompt(prompt: string): string {
  const line = prompt.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle).trimEnd()}…` : line;
}

const longestTitle = 48;

export function shape(job: Pick<Job, 'model' | 'resolution' | 'aspect_ratio'>): string {
  return `${modelName(job.model)} · ${job.resolution} · ${job.aspect_ratio}`;
}

export function tookMs(job: Pick<Job, 'created_at' | 'finished_at'>): number | null {
  return job.finished_at === null ? null : Date.parse(job.finished_at) - Date.parse(job.created_at);
}

export function formatOf({ result }: Pick<Job, 'result'>): 'png' | 'jpeg' | 'webp' {
  return (['jpeg', 'webp'] as const).find((format) => result?.media_type === `image/${format}`) ?? 'png';
}
