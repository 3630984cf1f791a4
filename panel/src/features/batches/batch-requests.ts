import type { Model } from '@darkroom/server/panel-contract';
import { resolutionOf } from '../make/plan.ts';
import type { Listed } from './read-list.ts';

export interface BatchRequest {
  model: string;
  mode: 'text';
  body: {
    prompt: string;
    aspect_ratio: string;
    resolution?: string;
    parameters?: Record<string, string | number | boolean>;
  };
}

/** The model, ratio and resolution of lines that name none. */
export interface Shape {
  model: Model;
  ratio: string;
  resolution: string;
}

/** Keeps unknown models, ratios and resolutions unchanged, so that the server reports them. */
export function requestsOf(rows: readonly Listed[], shape: Shape, models: readonly Model[]): BatchRequest[] {
  return rows.map((row) => {
    const model = row.model === '' ? shape.model : findModel(models, row.model);
    const resolution =
      findResolution(model, row.resolution) || (model && resolutionOf(model, shape)?.resolution);
    const isOnly = !model?.selectable && resolution === model?.resolutions[0]?.resolution;
    const parameters = model ? parametersOf(row.more, model) : {};
    return {
      model: model?.id ?? row.model,
      mode: 'text',
      body: {
        prompt: row.prompt,
        aspect_ratio: row.ratio || shape.ratio,
        ...(resolution && !isOnly && { resolution }),
        ...(Object.keys(parameters).length > 0 && { parameters }),
      },
    };
  });
}

function findModel(models: readonly Model[], named: string): Model | undefined {
  const wanted = named.toLowerCase();
  return models.find(({ id, name }) => id === named || name.toLowerCase() === wanted);
}

/** Spells a resolution as the model does, because people write `2k`. */
function findResolution(model: Model | undefined, named: string): string {
  const wanted = named.toLowerCase();
  const found = model?.resolutions.find(({ resolution }) => resolution.toLowerCase() === wanted);
  return found?.resolution ?? named;
}

function parametersOf(cells: Record<string, string>, { parameters }: Model) {
  const known = Object.entries(cells).filter(([name]) => Object.hasOwn(parameters, name));
  return Object.fromEntries(known.map(([name, cell]) => [name, readCell(cell, parameters[name]?.type)]));
}

function readCell(cell: string, type: unknown): string | number | boolean {
  if (type === 'boolean' && /^(true|false)$/i.test(cell)) return cell.toLowerCase() === 'true';
  const number = Number(cell);
  return type !== 'string' && Number.isFinite(number) ? number : cell;
}
