export interface FitPolicy {
  fit: 'crop' | 'extend';
  /** Whether an image that is much too small may be enlarged. */
  upscale: boolean;
}

interface Pixels {
  width: number;
  height: number;
}

// Upstreams that round to multiples of 64 are off by up to 64 in 768 pixels. Such a small enlargement is not visible.
const roundingScale = 1.1;
// Shapes that differ by at most this factor are cropped even with `extend`: a thin blurred frame looks like a mistake.
const sameShape = 1.1;

/** Whether the whole image is shown on a blurred background, not cropped. */
export function isExtended(made: Pixels, promised: Pixels, { fit }: FitPolicy): boolean {
  const ratio = made.width / made.height / (promised.width / promised.height);
  return fit === 'extend' && Math.max(ratio, 1 / ratio) > sameShape;
}

export function mayEnlarge(made: Pixels, promised: Pixels, policy: FitPolicy): boolean {
  const scales = [promised.width / made.width, promised.height / made.height];
  const scale = isExtended(made, promised, policy) ? Math.min(...scales) : Math.max(...scales);
  return policy.upscale || scale <= roundingScale;
}
