import type { AuthorizationRequest } from '../../accounts/grants/authorization-request.ts';
import type { KeyJson } from '../../api/nouns/keys/key-json.ts';
import type { AccountContract } from '../../api/table.ts';
import type { ModelId } from '../../catalog/models.ts';

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

export type Key = KeyJson;
export type NewKey = AccountContract['POST /api/v1/keys']['answer'];
