import { type Job, type JobStatus, jobStatuses, type ModelId } from '@darkroom/sdk';
import { type Command, Option } from 'commander';
import { parseLimit, parseModel, parsePair } from '../../arguments.ts';
import { connect } from '../../client.ts';
import { formatAge, formatMake, formatPrompt } from '../../format.ts';
import { type Column, paintStatus, printJson, printTable, tell } from '../../output.ts';

export function addJobsList(jobs: Command): void {
  jobs
    .command('list')
    .description('the newest jobs of the account')
    .addOption(new Option('-s, --status <status>', 'only these').choices(jobStatuses))
    .option('-m, --model <model>', 'only of this model', parseModel)
    .option('-q, --query <words>', 'only with these words in the prompt')
    .option('--tag <tag>', 'only with this tag')
    .option('--batch <id>', 'only of this batch')
    .option('--starred', 'only with a star')
    .option('--similar-to <job>', 'only with an image like that of this job')
    .option('--duplicates', 'only with an image that another job has, too')
    .option('--metadata <name=value>', 'only with this pair; any number', parsePair)
    .option('-n, --limit <number>', 'how many, 1 to 100', parseLimit, 20)
    .option('--cursor <cursor>', 'where an earlier list ended')
    .option('--json', 'print one JSON object')
    .action(listJobs);
}

interface Options {
  status?: JobStatus;
  model?: ModelId;
  query?: string;
  tag?: string;
  batch?: string;
  starred?: true;
  similarTo?: string;
  duplicates?: true;
  metadata?: Record<string, string>;
  limit: number;
  cursor?: string;
  json?: true;
}

async function listJobs({ json, query: words, batch, similarTo, ...others }: Options): Promise<void> {
  const query = {
    ...others,
    ...(words !== undefined && { q: words }),
    ...(batch !== undefined && { batch_id: batch }),
    ...(similarTo !== undefined && { similar_to: similarTo }),
  };
  const darkroom = await connect();
  const list = await darkroom.listJobs(query);
  if (json) return printJson(list);
  const { limit: _, ...filters } = query;
  const filtered = Object.keys(filters).length > 0;
  if (list.data.length === 0)
    return tell(filtered ? 'No jobs match.' : 'No jobs yet. Make one: darkroom generate "a red fox"');
  printTable(columns, list.data);
  if (list.next_cursor !== null) tell(`More: darkroom jobs list --cursor ${list.next_cursor}`);
}

const columns: Column<Job>[] = [
  { title: 'JOB', cell: (job) => job.job_id },
  { title: 'STATUS', cell: (job) => paintStatus(job.status) },
  { title: 'MAKE', cell: formatMake },
  { title: 'PRICE', cell: (job) => job.price, align: 'right' },
  { title: 'CREATED', cell: (job) => formatAge(job.created_at, Date.now()) },
  { title: 'PROMPT', cell: (job) => formatPrompt(job.prompt), clip: true },
];
