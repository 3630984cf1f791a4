import type { AuthorizationRequest } from '../../accounts/grants/authorization-request.ts';
import type { ModelId } from '../../catalog/models.ts';
import type { LimitChanges } from '../limits/contract.ts';

/** API keys of an account. */
export interface KeyCalls {
  'GET /panel/accounts/:account_id/keys': { answer: { data: Key[] } };
  'GET /panel/accounts/:account_id/keys/:key_id': { answer: Key };
  'POST /panel/accounts/:account_id/keys': {
    body: {
      name: string;
      models: ModelId[] | null;
      expires_at: string | null;
      limits?: LimitChanges;
      networks?: string[] | null;
    };
    answer: KeyWithSecret;
  };
  'POST /panel/accounts/:account_id/keys/:key_id/disable': { answer: Key };
  /** Makes a new secret under the same name; the old one works for `overlap` longer. */
  'POST /panel/accounts/:account_id/keys/:key_id/roll': { body: { overlap: Overlap }; answer: KeyWithSecret };
}

/** Programs that sign in instead of bringing a key. */
export interface GrantCalls {
  /** Who asks for access. Nothing of it may be trusted but where the browser returns to. */
  'POST /panel/grants/look': { body: AuthorizationRequest; answer: AskingProgram };
  /** Gives the program a key of its own for the account. */
  'POST /panel/accounts/:account_id/grants': {
    body: AuthorizationRequest & { models: ModelId[] | null };
    /** Where the browser goes now. */
    answer: { return_to: string };
  };
}

export interface AskingProgram {
  name: string;
  /** The host to which the browser returns. */
  returns_to: string;
  /** Where the browser goes when the person says no. */
  refusal_url: string;
}

export type Overlap = 'now' | '1h' | '24h' | '7d';

export interface Key {
  key_id: string;
  name: string;
  /** `dk_Ab12…9xYz` */
  hint: string;
  /** Null: every model. */
  models: ModelId[] | null;
  /** Addresses and networks from which alone it may be used; null: from everywhere. */
  networks: readonly string[] | null;
  status: 'active' | 'expiring' | 'expired' | 'disabled';
  created_at: string;
  expires_at: string | null;
  disabled_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  /** The client's address at that time. */
  last_used_address: string | null;
  /** Prices of its done jobs of the last 30 days. */
  spent_30d: string;
  jobs_30d: number;
}

export interface KeyWithSecret {
  key: Key;
  /** The whole key, shown only once. */
  secret: string;
}
