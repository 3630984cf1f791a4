import type { CallOptions } from '../account-calls.ts';
import type { Paged } from '../pages.ts';
import { withQuery } from '../paths.ts';
import { openStream, sendForText } from '../send.ts';
import type { Balance, Entry, EntryQuery, Payment, Usage, UsageQuery } from '../types.ts';
import type {
  Account,
  AccountChanges,
  AccountQuery,
  AlertChanges,
  Alerts,
  CreditRequest,
  DebitRequest,
  ErasedAccount,
  InvitationInfo,
  InvitationMade,
  KeyChange,
  KeyInfo,
  KeyListQuery,
  KeyRequest,
  LimitChanges,
  LimitInfo,
  Member,
  MemberRole,
  MovedAccount,
  NewAccount,
  NewApiKey,
  PageQuery,
  RetentionChanges,
  RetentionInfo,
  Statement,
} from './account-types.ts';
import { accountPath } from './admin-sender.ts';
import { WebhookAdmin } from './webhook-admin.ts';

/** The calls about accounts and their money, people, keys and limits. `account` is an id or a name. */
export abstract class AccountAdmin extends WebhookAdmin {
  createAccount(request: NewAccount, options: CallOptions = {}): Promise<Account> {
    return this.make<Account>('/accounts', request, options);
  }

  /** Lists accounts, newest first. */
  listAccounts(query: AccountQuery = {}, options: CallOptions = {}): Paged<Account> {
    return this.pages<Account>('/accounts', query, options);
  }

  getAccount(account: string, options: CallOptions = {}): Promise<Account> {
    return this.send<Account>('GET', accountPath(account), options);
  }

  /** Moves an account into a price group; null moves it to the models' prices. Applies to jobs accepted from now on. */
  changeAccount(account: string, changes: AccountChanges, options: CallOptions = {}): Promise<Account> {
    return this.send<Account>('PATCH', accountPath(account), options, changes);
  }

  disableAccount(account: string, body: { reason: string }, options: CallOptions = {}): Promise<Account> {
    return this.send<Account>('POST', `${accountPath(account)}/disable`, options, body);
  }

  enableAccount(account: string, options: CallOptions = {}): Promise<Account> {
    return this.send<Account>('POST', `${accountPath(account)}/enable`, options);
  }

  /** Adds money. Repeated calls with the same reference add it once. */
  creditAccount(account: string, credit: CreditRequest, options: CallOptions = {}): Promise<MovedAccount> {
    return this.move(`${accountPath(account)}/credits`, credit, options);
  }

  /** Takes money that no job has reserved. Repeated calls with the same reference take it once. */
  debitAccount(account: string, debit: DebitRequest, options: CallOptions = {}): Promise<MovedAccount> {
    return this.move(`${accountPath(account)}/debits`, debit, options);
  }

  /** Returns the days for which each part of the data is kept; null if it is kept for ever. */
  listRetention(account: string, options: CallOptions = {}): Promise<RetentionInfo[]> {
    return this.list<RetentionInfo>('GET', `${accountPath(account)}/retention`, options);
  }

  /** Changes the retention. Omitted fields keep their values; null restores the installation's retention. */
  changeRetention(
    account: string,
    changes: RetentionChanges,
    options: CallOptions = {},
  ): Promise<RetentionInfo[]> {
    return this.list<RetentionInfo>('PATCH', `${accountPath(account)}/retention`, options, changes);
  }

  /** Downloads a zip archive of all the account's data, in pieces. Throws `NetworkError` if the answer breaks off. */
  exportAccount(account: string, { signal }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    return openStream(this.transport, { method: 'POST', path: `${accountPath(account)}/export`, signal });
  }

  /**
   * Erases an account for good. `name` confirms it. Erasing a large account takes long. The client never retries the
   * call, but you can repeat it.
   */
  eraseAccount(account: string, body: { name: string }, options: CallOptions = {}): Promise<ErasedAccount> {
    return this.long<ErasedAccount>(`${accountPath(account)}/erase`, body, options);
  }

  listMembers(account: string, options: CallOptions = {}): Promise<Member[]> {
    return this.list<Member>('GET', `${accountPath(account)}/members`, options);
  }

  changeMemberRole(
    account: string,
    personId: string,
    body: { role: MemberRole },
    options: CallOptions = {},
  ): Promise<Member[]> {
    return this.list<Member>('PATCH', memberPath(account, personId), options, body);
  }

  removeMember(account: string, personId: string, options: CallOptions = {}): Promise<void> {
    return this.send<void>('DELETE', memberPath(account, personId), options);
  }

  /**
   * Removes the person with this id or email from the installation. Operators and an account's only owner cannot be
   * removed.
   */
  deletePerson(person: string, options: CallOptions = {}): Promise<void> {
    return this.send<void>('DELETE', `/people/${encodeURIComponent(person)}`, options);
  }

  listInvitations(account: string, options: CallOptions = {}): Promise<InvitationInfo[]> {
    return this.list<InvitationInfo>('GET', `${accountPath(account)}/invitations`, options);
  }

  /** Creates a link by which a person becomes a member, by default an owner. */
  inviteMember(
    account: string,
    invitation: { role?: MemberRole; note?: string } = {},
    options: CallOptions = {},
  ): Promise<InvitationMade> {
    return this.make<InvitationMade>(`${accountPath(account)}/invitations`, invitation, options);
  }

  /** Replaces an invitation's link with a new one. */
  renewInvitation(account: string, invitationId: string, options: CallOptions = {}): Promise<InvitationMade> {
    return this.make<InvitationMade>(`${invitationPath(account, invitationId)}/renew`, undefined, options);
  }

  revokeInvitation(account: string, invitationId: string, options: CallOptions = {}): Promise<void> {
    return this.send<void>('DELETE', invitationPath(account, invitationId), options);
  }

  /** Returns the balance, the part that jobs have reserved, and the rest, which can be spent. */
  balance(account: string, options: CallOptions = {}): Promise<Balance> {
    return this.send<Balance>('GET', `${accountPath(account)}/balance`, options);
  }

  listEntries(account: string, query: EntryQuery = {}, options: CallOptions = {}): Paged<Entry> {
    return this.pages<Entry>(`${accountPath(account)}/entries`, query, options);
  }

  /** Lists payments through the payment provider, newest first. */
  listPayments(account: string, options: CallOptions = {}): Paged<Payment> {
    return this.pages<Payment>(`${accountPath(account)}/payments`, {}, options);
  }

  readPayment(account: string, paymentId: string, options: CallOptions = {}): Promise<Payment> {
    const path = `${accountPath(account)}/payments/${encodeURIComponent(paymentId)}`;
    return this.send<Payment>('GET', path, options);
  }

  usage(account: string, query: UsageQuery = {}, options: CallOptions = {}): Promise<Usage> {
    return this.send<Usage>('GET', withQuery(`${accountPath(account)}/usage`, query), options);
  }

  /** Lists the months that have a statement, newest first. */
  listStatements(account: string, options: CallOptions = {}): Promise<string[]> {
    return this.list<string>('GET', `${accountPath(account)}/statements`, options);
  }

  /** Reads the statement of a month such as `2026-10`. */
  readStatement(account: string, month: string, options: CallOptions = {}): Promise<Statement> {
    return this.send<Statement>('GET', statementPath(account, month), options);
  }

  /** Reads the statement as CSV. */
  statementTable(account: string, month: string, { signal }: CallOptions = {}): Promise<string> {
    const path = `${statementPath(account, month)}/csv`;
    return sendForText(this.transport, { method: 'GET', path, signal });
  }

  accountLimits(account: string, options: CallOptions = {}): Promise<LimitInfo[]> {
    return this.list<LimitInfo>('GET', `${accountPath(account)}/limits`, options);
  }

  /** Changes an account's limits. Omitted limits keep their values. */
  changeAccountLimits(
    account: string,
    limits: LimitChanges,
    options: CallOptions = {},
  ): Promise<LimitInfo[]> {
    return this.list<LimitInfo>('PATCH', `${accountPath(account)}/limits`, options, limits);
  }

  accountAlerts(account: string, options: CallOptions = {}): Promise<Alerts> {
    return this.send<Alerts>('GET', `${accountPath(account)}/alerts`, options);
  }

  /** Changes an account's alerts. Omitted fields keep their values. */
  changeAccountAlerts(account: string, alerts: AlertChanges, options: CallOptions = {}): Promise<Alerts> {
    return this.send<Alerts>('PATCH', `${accountPath(account)}/alerts`, options, alerts);
  }

  /** Creates a key. Only this answer contains the key. */
  createKey(account: string, request: KeyRequest = {}, options: CallOptions = {}): Promise<NewApiKey> {
    return this.make<NewApiKey>(`${accountPath(account)}/keys`, request, options);
  }

  /** Lists keys, newest first, by default those of all accounts. */
  listKeys(query: KeyListQuery = {}, options: CallOptions = {}): Paged<KeyInfo> {
    return this.pages<KeyInfo>('/keys', query, options);
  }

  /** Lists an account's keys, newest first. */
  listAccountKeys(account: string, query: PageQuery = {}, options: CallOptions = {}): Paged<KeyInfo> {
    return this.pages<KeyInfo>(`${accountPath(account)}/keys`, query, options);
  }

  getKey(keyId: string, options: CallOptions = {}): Promise<KeyInfo> {
    return this.send<KeyInfo>('GET', keyPath(keyId), options);
  }

  changeKey(keyId: string, change: KeyChange, options: CallOptions = {}): Promise<KeyInfo> {
    return this.send<KeyInfo>('PATCH', keyPath(keyId), options, change);
  }

  disableKey(keyId: string, options: CallOptions = {}): Promise<KeyInfo> {
    return this.send<KeyInfo>('POST', `${keyPath(keyId)}/disable`, options);
  }

  /** Creates a key that replaces an old one, which keeps working for `overlap` seconds. */
  rollKey(keyId: string, body: { overlap?: number } = {}, options: CallOptions = {}): Promise<NewApiKey> {
    return this.make<NewApiKey>(`${keyPath(keyId)}/roll`, body, options);
  }

  keyLimits(keyId: string, options: CallOptions = {}): Promise<LimitInfo[]> {
    return this.list<LimitInfo>('GET', `${keyPath(keyId)}/limits`, options);
  }

  changeKeyLimits(keyId: string, limits: LimitChanges, options: CallOptions = {}): Promise<LimitInfo[]> {
    return this.list<LimitInfo>('PATCH', `${keyPath(keyId)}/limits`, options, limits);
  }
}

const keyPath = (keyId: string) => `/keys/${encodeURIComponent(keyId)}`;
const memberPath = (account: string, personId: string) =>
  `${accountPath(account)}/members/${encodeURIComponent(personId)}`;
const invitationPath = (account: string, invitationId: string) =>
  `${accountPath(account)}/invitations/${encodeURIComponent(invitationId)}`;
const statementPath = (account: string, month: string) =>
  `${accountPath(account)}/statements/${encodeURIComponent(month)}`;
