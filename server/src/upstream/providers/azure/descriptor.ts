import { tokenUnits } from '../../prices/rates.ts';
import { type ConnectableDescriptor, hosted } from '../descriptor.ts';
import { azureCapabilities, createAzure } from './azure.ts';
import { azureBills } from './bill.ts';
import { azureConnection } from './connection.ts';
import { type AzureCredentials, AzureSettings } from './settings.ts';

export const azureDescriptor: ConnectableDescriptor<AzureSettings, AzureCredentials> = {
  settings: AzureSettings,
  create: createAzure,
  capabilitiesOf: azureCapabilities,
  usual: hosted,
  connection: azureConnection,
  reports: tokenUnits,
  bills: azureBills,
  environment: {
    variables: [
      {
        name: 'AZURE_OPENAI_API_KEY',
        whenUnset: 'not set',
        about: 'Key of Azure OpenAI.',
        holds: 'secret',
      },
      {
        name: 'AZURE_OPENAI_ENDPOINT',
        whenUnset: 'not set',
        about: 'Address of the Azure OpenAI resource.',
        holds: 'address',
      },
    ],
    credentials: (env) => ({ apiKey: env.AZURE_OPENAI_API_KEY }),
  },
};
