import { type Command, Option } from 'commander';
import { onThisMachine } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

type Unknown = 'keep' | 'remove';

export function addAdoptStore(program: Command): void {
  program
    .command('adopt-store')
    .description('make the image store this database’s, after a restore or a move')
    .addOption(
      new Option('--unknown-images <what>', 'keep or remove images whose jobs are not in this database')
        .choices(['keep', 'remove'])
        .makeOptionMandatory(),
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
A database that was restored or copied does not know the jobs that were made
since, so it removes no image until you decide whose the store is.

  keep     leaves what is there now alone, for good
  remove   removes it as left over, a day after it was written

Another server that uses the same store stops removing images. If it is the one
that goes on, do not adopt: give the copy a store of its own instead.`,
    )
    .action(adoptStore);
}

async function adoptStore({
  unknownImages: unknown,
  json,
}: {
  unknownImages: Unknown;
  json?: true;
}): Promise<void> {
  const { installation } = await onThisMachine((operator) => operator.adoptStore({ unknown }));
  if (json) return printJson({ installation, unknown_images: unknown });
  tell(`The image store belongs to this database now. Images of jobs that are not in it: ${unknown}.`);
}
