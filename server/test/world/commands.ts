import { openAdministrationHere, thrownHere } from '../../../cli/src/operator.ts';
import type { Environment } from '../../src/config/config.ts';
import { openOperator as openMachine } from '../../src/start/open-operator.ts';

export type Operator = Awaited<ReturnType<typeof openOperator>>;

export async function openOperator(env: Environment) {
  const machine = await openMachine(env);
  const operator = Object.assign(await openAdministrationHere(machine), machine);
  return new Proxy(operator, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const answer: unknown = value.apply(target, given);
        return answer instanceof Promise ? answer.catch(rethrow) : answer;
      };
    },
  });
}

function rethrow(error: unknown): never {
  throw thrownHere(error);
}
