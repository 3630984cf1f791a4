import type { Command } from 'commander';
import { addModelsApply } from './models-apply.ts';
import { addModelsExport } from './models-export.ts';
import { addModelsHistory } from './models-history.ts';
import { addModelsList } from './models-list.ts';
import { addModelsMargins } from './models-margins.ts';
import { addModelsRemove } from './models-remove.ts';
import { addModelsRestore } from './models-restore.ts';

export function addModelVerbs(models: Command): void {
  models.description(
    'what each model supports and costs; list, margins, export, apply, history, restore, remove',
  );
  addModelsList(models);
  addModelsMargins(models);
  addModelsExport(models);
  addModelsApply(models);
  addModelsHistory(models);
  addModelsRestore(models);
  addModelsRemove(models);
}
