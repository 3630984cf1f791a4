import type { Job, Model } from '@darkroom/server/panel-contract';
import { useRef } from 'react';
import { useAccountId } from '../../api/account.ts';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import { emptyDraft } from '../make/empty-draft.ts';
import { useKeptMutation } from '../make/kept-mutation.ts';
import { useMakeImages } from '../make/make.ts';
import { type Plan, planOf, type Wish, wishOf } from '../make/plan.ts';
import type { Frame } from './extend.ts';
import { extendedFiles } from './extended-files.ts';
import { paintedMask } from './mask-file.ts';
import type { MaskStep } from './mask-steps.ts';

export interface Edit {
  job: Job;
  model: Model;
  ratio: string;
  prompt: string;
  /** The area that changes: painted over, or added by a larger frame. */
  area: { steps: readonly MaskStep[]; feather: number } | { frame: Frame };
}

export function planEdit({ job, model, ratio, prompt, area }: Edit): { plan: Plan; wish: Wish } {
  const draft = {
    ...emptyDraft,
    ...{
      model: model.id,
      mode: 'image' as const,
      resolution: job.resolution,
      inputs: [{ job_id: job.job_id }],
    },
    ...{ ratio, prompt },
    // The server knows the job of an input image. An extended image is a new upload, so the request names its origin.
    editedFrom: 'frame' in area ? job.job_id : null,
  };
  const plan = planOf(draft, model, [model]);
  return { plan, wish: wishOf(draft, plan, prompt) };
}

/** Uploads the mask and makes the image. A retry uses the same uploads, so that the request is the same. */
export function useMakeEdit(onMade: (jobId: string) => void) {
  const account_id = useAccountId();
  const make = useMakeImages(([jobId]) => jobId !== undefined && onMade(jobId));
  const sent = useRef<{ of: string; links: Links }>(null);
  return useKeptMutation(async (edit: Edit, isGivenUp) => {
    const { wish } = planEdit(edit);
    const of = JSON.stringify([edit.job.job_id, edit.area]);
    const upload = async (file: Blob) =>
      (await send('POST /api/v1/uploads', { params: { account_id }, body: file })).url;
    const { links } = sent.current?.of === of ? sent.current : { links: await uploadArea(edit, upload) };
    sent.current = { of, links };
    const masked = {
      ...wish,
      ...(links.image && { images: [{ url: links.image }] }),
      creates: wish.creates.map((one) => ({ ...one, mask_url: links.mask })),
    };
    await make(masked, isGivenUp);
  });
}

interface Links {
  image?: string;
  mask: string;
}

async function uploadArea({ job, area }: Edit, upload: (file: Blob) => Promise<string>): Promise<Links> {
  const { result } = job;
  if (!result?.image_url) throw new Error(t('This image was deleted.'));
  if ('steps' in area) return { mask: await upload(await paintedMask(result, area.steps, area.feather)) };
  const files = await extendedFiles(result.image_url, area.frame);
  const [image, mask] = await Promise.all([upload(files.image), upload(files.mask)]);
  return { image, mask };
}
