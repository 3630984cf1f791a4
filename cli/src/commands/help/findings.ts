import { CliError } from '../../cli-error.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { printJson, printLine } from '../../output.ts';

export interface Finding {
  name: string;
  /** `warn`: the check passed, but the person should know something. */
  status: 'ok' | 'warn' | 'fail';
  found: string;
  next?: string | undefined;
  /** The exit code of a failed check, if it is not 1. */
  exitCode?: ExitCode | undefined;
}

const signs = {
  ok: ['green', '✓'],
  warn: ['yellow', '!'],
  fail: ['red', '✗'],
} as const;

/** Prints each finding as soon as it is known. @throws CliError with the code of the first check that failed */
export async function tellFindings(
  examination: AsyncIterable<Finding>,
  { json, width }: { json: boolean; width: number },
): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of examination) {
    findings.push(finding);
    if (!json) tellFinding(finding, width);
  }
  const wrong = findings.filter(({ status }) => status === 'fail');
  const answer = { ok: wrong.length === 0, checks: findings.map(({ exitCode: _, ...shown }) => shown) };
  const [first] = wrong;
  if (first)
    throw new CliError(
      first.exitCode ?? exitCodes.failed,
      wrong.length === 1 ? 'One check failed.' : `${wrong.length} checks failed.`,
      first.next,
      answer,
    );
  if (json) printJson(answer);
}

function tellFinding({ status, name, found, next }: Finding, width: number): void {
  const [colour, sign] = signs[status];
  printLine({ text: sign, colour }, ` ${name.padEnd(width)}  ${found}`);
  if (next !== undefined) printLine(`${' '.repeat(width + 4)}Next: ${next}`);
}
