import { measureInTurn, percent } from './in-turn.ts';
import { createLoad, type Load, pollLoad, startTarget, type Target } from './load.ts';

const turnsPerRound = 8;
const leastOfCreates = 0.95;
const leastOfPolls = 0.97;

type Say = (line: string) => void;

export async function measureLimits(say: Say, rounds: number): Promise<void> {
  const turns = rounds * turnsPerRound;
  const compare = async (target: Target, least: number, [without, within]: readonly [Load, Load]) => {
    const free = { name: 'without limits', target, load: without };
    const limited = { name: 'with limits', target, load: within };
    if ((await measureInTurn(say, [free, limited], turns)).speed >= least) return;
    say(`That is less than ${percent(least)}.\n`);
    process.exitCode = 1;
  };
  {
    await using target = await startTarget('--limited');
    say('### creates of an account with limits\n');
    await compare(target, leastOfCreates, [createLoad, { ...createLoad, key: target.limitedKey }]);
  }
  await using target = await startTarget('--role', 'all', '--memory', '--limited');
  say('### polls of an account with limits\n');
  const [free, limited] = [await pollLoad(target), await pollLoad(target, target.limitedKey)];
  await compare(target, leastOfPolls, [free, limited]);
}
