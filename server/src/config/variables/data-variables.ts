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
      about: 'Address of PostgreSQL itself, if DATABASE_URL is a transaction pooler.',
      holds: 'address',
      more: 'See [A pooler](guides/operating.md#a-pooler).',
    },
    {
      name: 'DATABASE_READ_URL',
      whenUnset: 'none',
      about: 'A replica of the server, for lists and reports.',
      holds: 'address',
      more: 'See [A replica](guides/operating.md#a-replica).',
    },
    {
      name: 'DARKROOM_DATABASE_CONNECTIONS',
      whenUnset: '4, for a worker 3',
      about: 'The most connections that each process opens to PostgreSQL.',
      holds: 'text',
      more: 'See [Connections to PostgreSQL](operations/README.md#connections-to-postgresql).',
    },
    {
      name: 'DARKROOM_DATA_DIR',
      whenUnset: './data',
      about: 'Folder of the database, the images and the secret.',
      holds: 'text',
      more: 'Only its owner can read it. It also holds `client.json`. The default is in the repository; for an installed package it is in the folder where you start it.',
    },
    {
      name: 'DARKROOM_STORAGE',
      whenUnset: 'the data folder',
      about: 'Where images are stored.',
      holds: 'address',
      more: '`disk:FOLDER`, or `s3://bucket/prefix?endpoint=…&region=…`. See [A bucket](guides/operating.md#a-bucket).',
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
      more: 'It also encrypts authenticators and webhook secrets. It has at least 32 characters. See [The secret](guides/operating.md#the-secret).',
    },
    {
      name: 'DARKROOM_RENDITIONS',
      whenUnset: 'ahead',
      about: 'Whether smaller images are made when a job is done, or only when requested.',
      holds: 'text',
      more: '`ahead` makes the smallest one, which lists show, when the job is done, and the two larger ones at the first request for either. `on-demand` makes the smallest at its first request, too.',
    },
  ],
};
