import type { Readable } from 'node:stream';

export interface SketchRequest {
  prompt: string;
  width: number;
  height: number;
  /** Selects one of the possible images of a prompt. Derived from the prompt by default. */
  seed?: string | undefined;
  /** Cuts out the subject, with nothing around it. */
  transparent?: boolean | undefined;
  /** Images to compose, in order; none for a drawn scene. */
  inputs: readonly SketchInput[];
}

/** An upright PNG, JPEG or WebP. */
export interface SketchInput {
  width: number;
  height: number;
  read(): Promise<Readable>;
}

export interface Drawing extends Omit<SketchRequest, 'inputs'> {
  inputs: readonly DrawingInput[];
}

export interface DrawingInput extends Omit<SketchInput, 'read'> {
  bytes: ArrayBuffer;
}

export class UnreadableInput extends Error {
  override name = 'UnreadableInput';
}
