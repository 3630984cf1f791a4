import type { Parameter } from './find-parameters.ts';

/** What goes where in a workflow: found by itself, then confirmed or changed by a person. */
export interface WorkflowChoice {
  /** Places, `NODE.input`; all of them get the value. */
  prompt: string[];
  width: string[];
  height: string[];
  seed: string[];
  /** The first takes the first input. */
  images: string[];
  /** The node whose picture is wanted. */
  output: string | null;
  parameters: Parameter[];
}
