import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { tell } from '../../output.ts';

export function addJobsDeleteImage(jobs: Command): void {
  jobs
    .command('delete-image')
    .description('delete the image of a job, its prompt and its inputs, for good')
    .argument('<id>', 'id of the job')
    .action(deleteImage);
}

async function deleteImage(id: string): Promise<void> {
  const darkroom = await connect();
  await darkroom.deleteImage(id);
  tell('Deleted, with the prompt and the inputs. The job stays, with its price.');
}
