import type { Job } from '@darkroom/server/panel-contract';
import type { Marks } from '../../api/marks.ts';

/** Rejections and ratings are tags, so that people can search, export and change them. */
export const rejectedTag = 'rejected';
const ratings = ['★', '★★', '★★★', '★★★★', '★★★★★'];

/** The maximum number of images to compare: with more, each would be too small. */
export const mostCompared = 9;

export function isRejected({ tags }: Pick<Job, 'tags'>): boolean {
  return tags?.includes(rejectedTag) === true;
}

export function ratingOf({ tags }: Pick<Job, 'tags'>): string | undefined {
  return ratings.findLast((rating) => tags?.includes(rating));
}

/** Keys: P picks, X rejects, U removes either mark, 1 to 5 rate, S stars. Undefined for other keys. */
export function verdictOf(key: string, jobs: readonly Job[]): Marks | undefined {
  switch (key.toLowerCase()) {
    case 'p':
      return { starred: true, remove: [rejectedTag] };
    case 'x':
      return { starred: false, add: [rejectedTag] };
    case 'u':
      return { starred: false, remove: [rejectedTag] };
    case 's':
      return { starred: !jobs.every(({ starred }) => starred) };
    default:
      return ratingFor(ratings[Number(key) - 1], jobs);
  }
}

/** Whether the page moves to the next image after this key. */
export function isFinal(key: string): boolean {
  return ['p', 'x'].includes(key.toLowerCase());
}

/** Pressing the current rating again removes it. */
function ratingFor(rating: string | undefined, jobs: readonly Job[]): Marks | undefined {
  if (rating === undefined) return undefined;
  const isThere = jobs.every((job) => ratingOf(job) === rating);
  return { remove: ratings.filter((one) => isThere || one !== rating), ...(!isThere && { add: [rating] }) };
}
