import { maySeePictures } from '../../accounts/people/may-see-pictures.ts';
import type { Viewer } from '../../accounts/sign-in/sessions.ts';
import { hideTarget } from '../../webhooks/buckets/bucket-target.ts';
import type { PanelDeps } from '../panel-deps.ts';

/** How this person sees addresses of an account: who looks after it without seeing what it makes, without the secrets in them. */
export async function targetsFor(
  { database }: Pick<PanelDeps, 'database'>,
  viewer: Viewer,
  accountId: string,
): Promise<(url: string) => string> {
  return (await maySeePictures(database.read, viewer, accountId)) ? (url) => url : hideTarget;
}
