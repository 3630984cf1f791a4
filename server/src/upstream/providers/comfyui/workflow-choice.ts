import type { Parameter } from './find-parameters.ts';

/** The mapping of a job to the inputs of a workflow: detected, then confirmed or changed by an operator. */
export interface WorkflowChoice {
  /** Places, `NODE.input`, which all get the value. */
  prompt: string[];
  width: string[];
  height: string[];
  seed: string[];
  /** The first takes the first input. */
  images: string[];
  /** The node whose image is the result. */
  output: string | null;
  parameters: Parameter[];
}
