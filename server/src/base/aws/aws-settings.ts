import { SettingError } from '../../errors.ts';

type Environment = Record<string, string | undefined>;

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** The source of credentials for Amazon. A role's credentials are temporary and renewed every few hours. */
export type AwsSettings =
  | { kind: 'keys'; credentials: AwsCredentials }
  | { kind: 'container'; url: string; token: { text: string } | { file: string } | null }
  | { kind: 'instance'; endpoint: string };

const containerOrigin = 'http://169.254.170.2';
const instanceOrigin = 'http://169.254.169.254';
// The hosts at which ECS and EKS serve credentials. Plain HTTP to other hosts would expose the credentials.
const containerHosts = [
  '127.0.0.1',
  '[::1]',
  'localhost',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
];

/** Finds credentials where Amazon's SDKs do, in their order, but not in `~/.aws`. Null if none. @throws SettingError */
export function readAws(env: Environment): AwsSettings | null {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (accessKeyId && secretAccessKey) {
    const sessionToken = env.AWS_SESSION_TOKEN;
    return {
      kind: 'keys',
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    };
  }
  if (accessKeyId || secretAccessKey)
    throw new SettingError('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together.');
  const url = readContainerUrl(env);
  if (url !== undefined) return { kind: 'container', url, token: readContainerToken(env) };
  if (env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') return null;
  return { kind: 'instance', endpoint: env.AWS_EC2_METADATA_SERVICE_ENDPOINT || instanceOrigin };
}

export const howToSet =
  'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (profiles and ~/.aws are not read), or run where a container or an ' +
  'instance has a role';

function readContainerUrl(env: Environment): string | undefined {
  if (env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI)
    return containerOrigin + env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  const full = env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  if (!full) return undefined;
  const url = URL.parse(full);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && containerHosts.includes(url.hostname)))
    return full;
  throw new SettingError(
    'AWS_CONTAINER_CREDENTIALS_FULL_URI must start with https://, or with http:// and an address of this machine.',
  );
}

/** Returns the path of the file, not its content, because the content changes. */
function readContainerToken(env: Environment): { text: string } | { file: string } | null {
  if (env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE) return { file: env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE };
  return env.AWS_CONTAINER_AUTHORIZATION_TOKEN ? { text: env.AWS_CONTAINER_AUTHORIZATION_TOKEN } : null;
}
