import type { VariableGroup } from './variable.ts';

export const dataVariables: VariableGroup = {
  title: 'Database and images',
  variables: [
    {
      name: 'DATABASE_URL',
      whenUnset: 'SQLite in the data folder',
      about: 'PostgreSQL server, for more than one machine.',
      holds: 'address',
      more: '`postgres://user:password@host:5432/name`; [several servers](guides/operating.md#a-standby) are possible.',
    },
    {
      name: 'DATABASE_DIRECT_URL',
      whenUnset: 'none',
      about: 'The server itself, behind a pooler by transaction.',
      holds: 'address',
      more: 'See [A pooler](guides/operating.md#a-pooler).',
    },
    {
      name: 'DATABASE_READ_URL',
      whenUnset: 'none',
      about: 'A replica of the server, for lists and figures.',
      holds: 'address',
      more: 'See [A replica](guides/operating.md#a-replica).',
    },
    {
      name: 'DARKROOM_DATABASE_CONNECTIONS',
      whenUnset: '4, of a worker 3',
      about: 'Most connections of each process to PostgreSQL.',
      holds: 'text',
      more: 'See [the sums](operations/README.md#connections-to-postgresql).',
    },
    {
      name: 'DARKROOM_DATA_DIR',
      whenUnset: './data',
      about: 'Folder of the database, the images and the secret.',
      holds: 'text',
      more: 'Readable by its owner alone; it also holds `client.json`. The default is in the repository, or where the installed package starts.',
    },
    {
      name: 'DARKROOM_STORAGE',
      whenUnset: 'the data folder',
      about: 'Store of images.',
      holds: 'address',
      more: '`disk:FOLDER`, or `s3://bucket/prefix?endpoint=…&region=…`: [A bucket](guides/operating.md#a-bucket).',
    },
    {
      name: 'AWS_ACCESS_KEY_ID',
      whenUnset: 'the role of the container or instance',
      about: 'Credentials for S3 and Bedrock.',
      holds: 'secret',
    },
    {
      name: 'AWS_SECRET_ACCESS_KEY',
      whenUnset: 'as above',
      about: 'Credentials for S3 and Bedrock.',
      holds: 'secret',
    },
    {
      name: 'AWS_SESSION_TOKEN',
      whenUnset: 'not set',
      about: 'Session token of temporary credentials.',
      holds: 'secret',
    },
    {
      name: 'DARKROOM_SECRET',
      whenUnset: 'generated, and kept in the data folder (SQLite) or in the database (PostgreSQL)',
      about: 'Signs links and sessions.',
      holds: 'secret',
      more: 'It also encrypts authenticators and webhook secrets. At least 32 characters: [The secret](guides/operating.md#the-secret).',
    },
    {
      name: 'DARKROOM_RENDITIONS',
      whenUnset: 'ahead',
      about: 'Whether smaller images are made when a job is done, or only when asked for.',
      holds: 'text',
      more: '`ahead`: the smallest, for lists, when the job is done, both larger ones at the first request for either. `on-demand`: the smallest also at its first request.',
    },
  ],
};
