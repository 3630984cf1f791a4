import { parseArgs } from 'node:util';
import { type FailedOver, failOver } from '../test/faults/support/fail-over.ts';

// npm run failover [-- --rounds 20]
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const all: FailedOver[] = [];
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const one = await failOver();
  all.push(one);
  process.stdout.write(`${round}: ${JSON.stringify(one)}\n`);
}
const sum = (key: keyof FailedOver) => all.reduce((total, one) => total + one[key], 0);
const longest = Math.max(...all.map(({ backMs }) => backMs));
process.stdout.write(
  `${all.length} failovers: ${sum('acknowledged')} acknowledged, ${sum('lost')} lost, ${sum('doubled')} doubled, ${sum('onOldPrimary')} on an old primary, back within ${Math.round(longest)} ms\n`,
);
if (sum('lost') + sum('doubled') + sum('onOldPrimary') > 0) process.exitCode = 1;
