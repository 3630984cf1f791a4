import type { Colour } from '../colour.ts';

export interface Edit {
  layout: Layout;
  /** Degrees clockwise. */
  rotate: number;
  flip: boolean;
  mirror: boolean;
  gray: boolean;
  sepia: boolean;
  invert: boolean;
  sharpen: boolean;
  pixelate: boolean;
  blur: boolean;
  night: boolean;
  /** 1 leaves the brightness unchanged. */
  brightness: number;
  saturation: number;
  tint: Colour | undefined;
  frame: Colour | undefined;
  caption: string | undefined;
}

/** `auto` lets the shape of the inputs decide. */
export type Layout = 'auto' | 'row' | 'column' | 'grid' | 'polaroids';

/** The width of a frame, as a share of the image's short side. */
export const frameShare = 0.045;
