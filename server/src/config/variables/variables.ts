import { providerKinds, providers } from '../../upstream/providers/providers.ts';
import { dataVariables } from './data-variables.ts';
import { mailVariables } from './mail-variables.ts';
import { networkVariables } from './network-variables.ts';
import { openVariables } from './open-variables.ts';
import { peopleVariables } from './people-variables.ts';
import type { VariableGroup } from './variable.ts';
import { watchingVariables } from './watching-variables.ts';

const providerVariables: VariableGroup = {
  title: 'Image models',
  variables: providerKinds.flatMap((kind) => providers[kind].environment.variables),
};

/** Every setting of the environment, for the panel and docs/settings.md. */
export const variableGroups: readonly VariableGroup[] = [
  networkVariables,
  dataVariables,
  openVariables,
  peopleVariables,
  providerVariables,
  mailVariables,
  watchingVariables,
];

export const variables = variableGroups.flatMap((group) => group.variables);
