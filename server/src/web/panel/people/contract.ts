import type { Challenge } from '../../../accounts/captcha/altcha.ts';
import type { CaptchaKind } from '../../../accounts/captcha/captcha-settings.ts';
import type { EmailTopic } from '../../../accounts/people/email-topics.ts';
import type { Language } from '../../../accounts/people/language.ts';
import type { MemberRole, OperatorRole, Right } from '../../../accounts/people/roles.ts';
import type { OwnData } from '../../../accounts/read-own-data.ts';
import type { SignedInBy } from '../../../accounts/sign-in/auth-names.ts';
import type { PersonJson } from '../../api/nouns/people/person-json.ts';
import type { presentAccountRef } from '../../api/screens/present-account-ref.ts';

export interface PeopleCalls {
  /** The signed-in person; `401 session_missing` without a session. */
  'GET /panel/session': { answer: Session };
  'GET /panel/sign-in': { answer: SignInOptions };
  'POST /panel/sign-in': { body: { email: string; password: string }; answer: SignInAnswer };
  /** The second step: six digits of the authenticator, or a backup code. */
  'POST /panel/sign-in/code': { body: { code: string }; answer: Session };
  /** The argument of `navigator.credentials.get`. */
  'POST /panel/sign-in/passkey/offer': { answer: PasskeyOffer };
  /** Signs in with the device's answer (base64url), within five minutes of the offer. No second step is needed. */
  'POST /panel/sign-in/passkey': {
    body: { credential_id: string; client_data: string; authenticator_data: string; signature: string };
    answer: Session;
  };
  /** The puzzle of Altcha's protocol, whose solution is `captcha`; `404 not_found` if another captcha is used. */
  'POST /panel/sign-in/captcha': { answer: AltchaChallenge };
  /** Sends a link to set a new password if a person has the address. The answer is always the same. */
  'POST /panel/sign-in/forgotten': { body: { email: string; captcha?: string }; answer: null };
  /** Sets the password with a link from `forgotten`, ends all sessions, and signs in as with a password. */
  'POST /panel/sign-in/reset': { body: { token: string; password: string }; answer: SignInAnswer };
  /** Sends a sign-up link to an address. The answer is the same if the address already has an account. */
  'POST /panel/sign-up': { body: { email: string; captcha?: string }; answer: null };
  /** Uses a sign-up link: creates the person and their account, and signs them in. */
  'POST /panel/sign-up/confirm': {
    body: { token: string; password: string; name?: string; accepted?: { terms?: string; privacy?: string } };
    answer: Session;
  };
  /** Returns the argument of `navigator.credentials.create` for the holder of a sign-up link. */
  'POST /panel/sign-up/passkey/offer': { body: { token: string }; answer: PasskeyOffer };
  /** Like `confirm`, with the device's new passkey instead of a password, within five minutes of the offer. */
  'POST /panel/sign-up/passkey': {
    body: {
      token: string;
      name: string;
      credential_id: string;
      client_data: string;
      attestation: string;
      accepted?: { terms?: string; privacy?: string };
    };
    answer: Session;
  };
  /** Reads a new person's email from the identity provider; `sign_in_refused` if too much time has passed. */
  'POST /panel/sign-up/oidc/look': { answer: { email: string } };
  /** Creates the person whom `look` shows, with an account, and signs them in. */
  'POST /panel/sign-up/oidc': {
    body: { accepted?: { terms?: string; privacy?: string } };
    answer: Session;
  };
  'POST /panel/sign-in/oidc': { body: { return_to?: string }; answer: { url: string } };
  'POST /panel/sign-out': { answer: null };
  /** Reads the purpose of a one-time link, without using up the link. */
  'POST /panel/links/look': { body: { token: string }; answer: LinkInfo };
  /** Uses up a one-time link: signs in, or accepts an invitation (which needs `email`, `password` and `name`). */
  'POST /panel/links/open': {
    body: { token: string; name?: string; email?: string; password?: string };
    answer: Session;
  };
  /**
   * Changes the name, email or password. A new email or password needs `current_password`,
   * `session.may_reset_password`, or, for a person without a password, a new session.
   */
  'POST /panel/session/credentials': {
    body: { name?: string; email?: string; password?: string; current_password?: string };
    answer: Session;
  };
  /** Begins the set-up of an authenticator, which takes effect once it is confirmed. */
  'POST /panel/session/authenticator': {
    body: { password: string };
    answer: { uri: string; backup_codes: string[] };
  };
  'POST /panel/session/authenticator/confirm': { body: { code: string }; answer: Session };
  'POST /panel/session/authenticator/remove': { body: { password: string }; answer: Session };
  'GET /panel/session/passkeys': { answer: { available: boolean; data: PasskeyRow[] } };
  /** The argument of `credentials.create`. Needs `current_password`, or else a session of at most 15 minutes. */
  'POST /panel/session/passkeys/offer': { body: { current_password?: string }; answer: PasskeyOffer };
  /** Adds the device's new passkey (base64url), within five minutes of the offer. */
  'POST /panel/session/passkeys': {
    body: { name: string; credential_id: string; client_data: string; attestation: string };
    answer: null;
  };
  /** Removes a passkey and ends the sessions that it opened. Needs `current_password` like the offer. */
  'POST /panel/session/passkeys/:passkey_id/remove': {
    body: { current_password?: string };
    answer: null;
  };
  'GET /panel/session/sessions': { answer: { data: SessionRow[] } };
  /** Ends one session. Needs `current_password` if one is set and this session is older than 15 minutes. */
  'POST /panel/session/sessions/:session_id/end': { body: { current_password?: string }; answer: null };
  'GET /panel/session/emails': { answer: EmailChoices };
  /** Turns off the emails in `off`, and turns on all others. */
  'POST /panel/session/emails': { body: { off: EmailTopic[] }; answer: EmailChoices };
  /** Sets the language of the panel and of emails; null for the browser's. */
  'POST /panel/session/language': { body: { language: Language | null }; answer: null };
  /** Reads all data about me, but only the newest 1,000 keys, links and audit entries. */
  'GET /panel/session/data': { answer: OwnData };
  /**
   * Deletes the person. Needs `current_password`, or else a session of at most 15 minutes. If a balance would be lost,
   * an error names it.
   */
  'POST /panel/session/delete': {
    body: { current_password?: string; give_up_balance?: boolean };
    answer: null;
  };
  /** Ends my other sessions. Needs `current_password` like ending one. */
  'POST /panel/session/end-others': { body: { current_password?: string }; answer: null };
}

export interface EmailChoices {
  off: EmailTopic[];
  sends: boolean;
}

export interface Session {
  person: PersonRow;
  /** The chosen language; null for the browser's. */
  language: Language | null;
  operator: boolean;
  /** An operator's rights, which apply in every account; empty for others. */
  rights: Right[];
  /** The accounts that this person may open: their own or, for an operator, all (at most 500, by name). */
  accounts: (AccountRef & { rights: Right[] })[];
  /** The account of this person's latest image, or for operators without one, of the latest ledger entry. */
  last_account_id: string | null;
  has_password: boolean;
  has_authenticator: boolean;
  /** True if the person must first set up a second factor. Until then, only calls about oneself are allowed. */
  must_set_up_authenticator: boolean;
  /** True for an hour after a sign-in by one-time link. Setting a new password then does not require the old one. */
  may_reset_password: boolean;
  via: SignedInBy;
  expires_at: string;
  currency: string;
  version: string;
}

export interface SessionRow {
  session_id: string;
  current: boolean;
  via: SignedInBy;
  /** The IP address at the start of the session. */
  address: string | null;
  browser: string | null;
  created_at: string;
  /** When the session was last extended. Using it extends it at most once a day. */
  renewed_at: string;
}

export interface PasskeyOffer {
  options: { challenge: string };
}

export interface PasskeyRow {
  passkey_id: string;
  name: string;
  created_at: string;
  used_at: string | null;
}

/** The public fields of a person. Single sign-on matches only confirmed addresses. */
export type PersonRow = PersonJson;

export type MemberRow = PersonRow & { role: MemberRole };
export type OperatorRow = PersonRow & { role: OperatorRole };
export type { EmailTopic, Language, MemberRole, OperatorRole, Right };

export type AccountRef = ReturnType<typeof presentAccountRef>;

/** `code_required` after the right password; continue with `POST /panel/sign-in/code`. */
export type SignInAnswer = { next: 'done'; session: Session } | { next: 'code_required' };

export interface SignInOptions {
  /** The name for the button; null if no identity provider is configured. */
  oidc: { name: string } | null;
  /** True until a password is set. The page then explains the one-time link and `darkroom panel-link`. */
  first_run: boolean;
  /** Whether passkeys can be used: at least one exists, and the server has a host name and https. */
  passkeys: boolean;
  min_password_length: number;
  forgotten: boolean;
  captcha: CaptchaOptions | null;
  /** Null if sign-up is off. */
  sign_up: SignUpOptions | null;
}

export interface CaptchaOptions {
  kind: CaptchaKind;
  /** The vendor's key for this site; null for Altcha, which has no vendor. */
  site_key: string | null;
}

export type AltchaChallenge = Challenge;

export interface SignUpOptions {
  /** Whether a passkey may replace a password. Browsers allow passkeys only over https and at a host with a name. */
  passkeys: boolean;
  /** Whether people can request a sign-up link themselves. If not, an operator must send it. */
  open: boolean;
  documents: { document: 'terms' | 'privacy'; url: string; version: string }[];
}

export interface LinkInfo {
  kind: 'sign_in' | 'invitation' | 'sign_up' | 'password_reset';
  /** The address to which a link of `sign_up` or `password_reset` was sent; null for other links. */
  email: string | null;
  /** Null for an operator's invitation. */
  account_name: string | null;
  role: 'member' | 'operator';
  expires_at: string;
}
