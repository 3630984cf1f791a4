import { randomInt } from 'node:crypto';
import { SettingError } from '../../../errors.ts';
import { pick, pickText } from '../pick.ts';
import type { ImageRequest } from '../provider.ts';
import type { ComfyUiSettings } from './settings.ts';

export type Workflow = Readonly<Record<string, unknown>>;

const slot = /\{\{(prompt|seed|width|height|mask|image\d+)\}\}/g;
const onlySlot = /^\{\{(prompt|seed|width|height|mask|image\d+)\}\}$/;
/** The largest range that `randomInt` allows, far below what a sampler takes. */
const seeds = 2 ** 48 - 1;

/** The highest number among the image slots. */
export function imageSlots(workflow: Workflow): number {
  const numbers = slotsOf(workflow).map((name) => Number(name.match(/^image(\d+)$/)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

export function takesMask(workflow: Workflow): boolean {
  return slotsOf(workflow).includes('mask');
}

/** @throws SettingError if the workflows cannot serve the provider's capabilities */
export function checkWorkflows({ workflows, outputNode, minInputs = 0 }: ComfyUiSettings): void {
  if (minInputs === 0 && !workflows.some((workflow) => imageSlots(workflow) === 0)) {
    throw new SettingError('comfyui needs a workflow without image slots, for requests without inputs');
  }
  for (const workflow of workflows) {
    // A workflow that only changes images needs no prompt.
    if (minInputs === 0 && !slotsOf(workflow).includes('prompt'))
      throw new SettingError('a comfyui workflow has no {{prompt}} slot');
    if (outputNode !== undefined && !Object.hasOwn(workflow, outputNode)) {
      const nodes = Object.keys(workflow).join(', ');
      throw new SettingError(
        `outputNode is "${outputNode}", which a comfyui workflow does not have (it has ${nodes})`,
      );
    }
  }
}

export function workflowWarnings(workflows: readonly Workflow[]): string[] {
  if (workflows.every((workflow) => slotsOf(workflow).includes('seed'))) return [];
  return [
    'A comfyui workflow has no {{seed}} slot: the same prompt gives the same image, and ComfyUI answers it from its cache.',
  ];
}

/** Of the workflows with enough image slots, picks the one with the fewest. */
export function workflowFor(
  workflows: readonly Workflow[],
  inputs: number,
  isMasked: boolean,
): Workflow | undefined {
  const able = workflows.filter((workflow) => takesMask(workflow) === isMasked);
  const fitting = able.filter((workflow) =>
    inputs === 0 ? imageSlots(workflow) === 0 : imageSlots(workflow) >= inputs,
  );
  return fitting.toSorted((a, b) => imageSlots(a) - imageSlots(b))[0];
}

/** A path may list one place per workflow: `3.steps,12.steps`. It may replace the slot of a seed, but no other slot. */
export function takesInput(workflows: readonly Workflow[], path: string): boolean {
  return workflows.every((workflow) => {
    const values = inputsAt(workflow, path).map(([node, input]) => pick(workflow, node, 'inputs', input));
    return values.length > 0 && values.every((value) => slotsOf(value).every((name) => name === 'seed'));
  });
}

/** Node names have no dot, but inputs may. */
function inputsAt(workflow: Workflow, path: string): [node: string, input: string][] {
  return path.split(',').flatMap((place): [string, string][] => {
    const dot = place.indexOf('.');
    const [node, input] = [place.slice(0, dot), place.slice(dot + 1)];
    return pick(workflow, node, 'inputs', input) === undefined ? [] : [[node, input]];
  });
}

/** Slots beyond the last image repeat it, because no slot may be empty. `images` and `mask` are file names. */
export function fillWorkflow(
  workflow: Workflow,
  request: ImageRequest,
  { images, mask = '' }: { images: readonly string[]; mask?: string | undefined },
): unknown {
  // The seed is random, because ComfyUI would answer a repeated graph from its cache, without an image.
  const seed = randomInt(seeds);
  const { prompt, width, height } = request;
  const values: Record<string, string | number> = { prompt, seed, width, height, mask };
  for (let index = 0; index < imageSlots(workflow); index += 1) {
    values[`image${index + 1}`] = images[index] ?? images.at(-1) ?? '';
  }
  const filled = fill(workflow, values);
  for (const [path, value] of Object.entries(request.fields)) {
    for (const [node, input] of inputsAt(workflow, path))
      Reflect.set(Object(pick(filled, node, 'inputs')), input, value);
  }
  return filled;
}

/** Renames the saved files of a graph with an unchanged seed, which ComfyUI would otherwise answer from its cache. */
export function renameFiles(graph: unknown, suffix: string): void {
  for (const node of Object.values(Object(graph))) {
    const prefix = pickText(node, 'inputs', 'filename_prefix');
    if (prefix !== undefined)
      Reflect.set(Object(pick(node, 'inputs')), 'filename_prefix', `${prefix}-${suffix}`);
  }
}

function slotsOf(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(slot)].map((match) => match[1] ?? '');
}

function fill(value: unknown, values: Record<string, string | number>): unknown {
  if (typeof value === 'string') {
    // A value that is only a slot gets the type of its content, so that a width stays a number.
    const name = value.match(onlySlot)?.[1];
    if (name !== undefined) return values[name];
    return value.replaceAll(slot, (_whole, found: string) => String(values[found]));
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, values));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values)]));
}
