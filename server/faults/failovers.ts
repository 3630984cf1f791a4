import { parseArgs } from 'node:util';
import { type FailedOver, failOver, loseTail } from '../test/faults/support/fail-over.ts';

// npm run failover [-- --rounds 20] [-- --lost-tail]
// Fails over to a synchronous standby, or with `--lost-tail` to an asynchronous one that has not received all data.
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, 'lost-tail': { type: 'boolean', default: false } },
});
await (values['lost-tail'] ? loseTails : failOvers)(Number(values.rounds));

async function loseTails(rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const one = await loseTail();
    process.stdout.write(`${round}: ${JSON.stringify(one)}\n`);
    if (one.receivedLost + one.doubled + one.violations.length > 0) process.exitCode = 1;
  }
}

async function failOvers(rounds: number): Promise<void> {
  const all: FailedOver[] = [];
  for (let round = 1; round <= rounds; round += 1) {
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
}
