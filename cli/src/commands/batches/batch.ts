import type { Command } from 'commander';
import { addBatchCancel } from './batch-cancel.ts';
import { addBatchCreate } from './batch-create.ts';
import { addBatchGet } from './batch-get.ts';
import { addBatchImages } from './batch-images.ts';
import { addBatchList } from './batch-list.ts';
import { addBatchResults } from './batch-results.ts';

export function addBatch(program: Command): void {
  const batch = program
    .command('batch')
    .helpCommand(false)
    .description('create, list, get, results, images, cancel');
  addBatchCreate(batch);
  addBatchList(batch);
  addBatchGet(batch);
  addBatchResults(batch);
  addBatchImages(batch);
  addBatchCancel(batch);
}
