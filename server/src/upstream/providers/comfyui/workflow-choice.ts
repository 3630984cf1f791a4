import type { Parameter } from './find-parameters.ts';

/** The places of a workflow that a job fills, detected and then confirmed or changed by an operator. */
export interface WorkflowChoice {
  /** Places (`NODE.input`) that all get the prompt. */
  prompt: string[];
  width: string[];
  height: string[];
  seed: string[];
  /** Places of input images, in the order of the job's inputs. */
  images: string[];
  output: string | null;
  parameters: Parameter[];
}
