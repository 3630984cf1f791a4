import type { Transporter } from 'nodemailer';
import type { EmailTopic } from '../../../accounts/people/email-topics.ts';
import type { Language } from '../../../accounts/people/language.ts';
import { type Brand, ownBrand } from '../../../base/brand/brand.ts';
import { loadOnce } from '../../../base/std/memory/load-once.ts';
import { orAborted } from '../../../base/std/or-aborted.ts';
import { type EmailContent, logoId, writeEmail } from '../../emails/write-email.ts';
import type { AttemptResult, DeliveredEvent, DeliveryFailure } from '../delivery.ts';
import type { EventType } from '../event-types.ts';
import { topicOf } from '../event-types.ts';
import { describeEventEmail, type EventEmailContext } from './event-email.ts';

export interface MailSettings {
  /** `smtp://user:password@host:587`, or `smtps://`. */
  url: string;
  /** `Darkroom <darkroom@example.com>` */
  from: string;
}

export interface MailerContext extends EventEmailContext {
  brand(): Brand;
  /** Undefined if no person has this address now. */
  languageOf(email: string): Promise<Language | undefined>;
  /** Undefined if no person has this address now. */
  unsubscribeUrl(email: string, topic: EmailTopic): Promise<string | undefined>;
}

export interface Mailer extends Disposable {
  /** Never throws for faults of the mail server. */
  send(event: DeliveredEvent, to: string, signal: AbortSignal): Promise<AttemptResult>;
  /** The email's id is the same in every attempt. */
  post(email: { id: string; content: EmailContent }, to: string, signal: AbortSignal): Promise<AttemptResult>;
}

type Outcome = Pick<AttemptResult, 'status' | 'failure' | 'answer'>;

/** The time limit for the whole exchange, shorter than a delivery's lease. */
const exchangeMs = 15_000;

/** Creates the sender of emails. Without settings, every attempt fails and is retried later. */
export function createMailer(settings: MailSettings | null, context: MailerContext): Mailer {
  // The transport is opened for the first email, because most processes never send one.
  const mail = settings && { from: settings.from, transport: loadOnce(() => open(settings.url)) };
  const attempt = async (
    { id, describe }: { id: string; describe(): Promise<EmailContent> },
    to: string,
    stop: AbortSignal,
  ): Promise<Outcome> => {
    if (!mail) return { status: null, failure: 'mail_unset', answer: null };
    const { from } = mail;
    const brand = context.brand();
    // If the process stops here, nothing was sent, and the next holder of the lease sends the email.
    const [content, transport] = await orAborted(Promise.all([describe(), mail.transport()]), stop);
    const email = {
      ...writeEmail(content, brand),
      from: senderOf(from, brand),
      attachments: logoOf(brand),
      to,
      // Receivers recognize a duplicate by this id, which is the same in every attempt.
      messageId: `<${id}@${from.replace(/^.*@|>$/g, '')}>`,
      headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(content) },
    };
    const { response } = await orAborted(transport.sendMail(email), stop);
    return { status: 250, failure: null, answer: String(response) };
  };
  const describe = async (event: DeliveredEvent, to: string): Promise<EmailContent> => {
    // If the database is unavailable, the email is sent in English rather than late.
    const language = await context.languageOf(to).catch(() => undefined);
    const content = describeEventEmail(event, context, language);
    const topic = topicOf(event.type as EventType); // as `recordNotices` writes it
    if (topic === null) return content;
    // If the database is unavailable, the email has no unsubscribe link. People can also turn off emails in their
    // profile.
    const unsubscribeUrl = await context.unsubscribeUrl(to, topic).catch(() => undefined);
    return unsubscribeUrl === undefined ? content : { ...content, unsubscribeUrl };
  };
  const post = async (
    email: Parameters<typeof attempt>[0],
    to: string,
    signal: AbortSignal,
  ): Promise<AttemptResult> => {
    const startedAt = performance.now();
    const late = AbortSignal.timeout(exchangeMs);
    const outcome = await attempt(email, to, AbortSignal.any([signal, late])).catch(
      (error: unknown): Outcome => {
        if (signal.aborted) return { status: null, failure: 'interrupted', answer: null };
        if (late.aborted) return { status: null, failure: 'timed_out', answer: null };
        return outcomeOf(error as MailError); // nodemailer throws this
      },
    );
    return { ...outcome, durationMs: Math.round(performance.now() - startedAt), retryAfterMs: null };
  };
  return {
    send: (event, to, signal) => post({ id: event.id, describe: () => describe(event, to) }, to, signal),
    post: ({ id, content }, to, signal) => post({ id, describe: async () => content }, to, signal),
    [Symbol.dispose]() {
      void mail?.transport.forget().then((transport) => transport?.close());
    },
  };
}

/** Connects and signs in to the mail server without sending an email. @throws MailError */
export async function greetMailServer({ url }: MailSettings, options = { requireTLS: false }): Promise<void> {
  const transport = await open(url, options);
  try {
    await orAborted(transport.verify(), AbortSignal.timeout(exchangeMs));
  } finally {
    transport.close();
  }
}

/** Headers with which mail programs offer to unsubscribe by one request, without a confirmation (RFC 8058). */
function unsubscribeHeaders({ unsubscribeUrl: url }: EmailContent): Record<string, string> {
  if (url === undefined) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

function senderOf(from: string, brand: Brand): string | { name: string; address: string } {
  return brand === ownBrand ? from : { name: brand.name, address: from.replace(/^.*<|>$/g, '') };
}

function logoOf({ logo }: Brand) {
  if (!logo) return [];
  return [{ cid: logoId, content: logo.bytes, contentType: 'image/png', filename: 'logo.png' }];
}

async function open(url: string, options = {}): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const limits = { connectionTimeout: exchangeMs, greetingTimeout: exchangeMs, socketTimeout: exchangeMs };
  return createTransport({ url, ...options, ...limits, disableFileAccess: true, disableUrlAccess: true });
}

export interface MailError extends Error {
  /** Nodemailer's code, such as `EAUTH`. */
  code?: string;
  responseCode?: number;
  response?: string;
}

function outcomeOf({ code = '', responseCode, response, message }: MailError): Outcome {
  const status = responseCode ?? null;
  return { status, failure: failureOf(code, status, message), answer: response ?? message };
}

function failureOf(code: string, status: number | null, message: string): DeliveryFailure {
  // A 5xx is final, unless it is about our own password, which an operator may correct.
  if (status !== null) return status >= 500 && code !== 'EAUTH' ? 'mail_refused' : 'status';
  if (code === 'EDNS') return 'dns_failed';
  if (code === 'ETIMEDOUT') return 'timed_out';
  if (code === 'ETLS') return 'tls_failed';
  return message.includes('ECONNREFUSED') ? 'connect_refused' : 'connection_lost';
}
