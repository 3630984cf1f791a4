import { readAws } from '../../../base/aws/aws-settings.ts';
import { type ConnectableDescriptor, hosted, isAt, quietly } from '../descriptor.ts';
import { createBedrock } from './bedrock.ts';
import { bedrockConnection } from './connection.ts';
import { bedrockCapabilities } from './families.ts';
import { type BedrockCredentials, BedrockSettings } from './settings.ts';

export const bedrockDescriptor: ConnectableDescriptor<BedrockSettings, BedrockCredentials> = {
  settings: BedrockSettings,
  create: createBedrock,
  capabilitiesOf: bedrockCapabilities,
  usual: hosted,
  isOwn: isAt(/^bedrock(-runtime)?(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/),
  connection: bedrockConnection,
  environment: {
    // Bedrock has no variables of its own, because Amazon's credentials also serve the image store.
    variables: [],
    credentials: (env) => ({ aws: quietly(() => readAws(env)) ?? undefined }),
  },
};
