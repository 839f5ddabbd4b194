/** Settings for mail and chats. */
import { address, setting, text, wholeNumber, yes } from './setting.ts'

export const notificationSettings = {
  smtpUrl: setting(
    'SMTP_URL',
    undefined as string | undefined,
    '',
    'SMTP server URL, with user and password; without it, emails are written to a file, for development.',
    address('smtp:', 'smtps:'),
  ),
  channelPace: setting(
    'CHANNEL_MESSAGES_PER_SECOND',
    1,
    'messages per second',
    'Messages per channel and process, with bursts lasting up to ten seconds; 0 means no limit.',
    wholeNumber(0, 1000),
  ),
  notificationPace: setting(
    'NOTIFICATIONS_PER_SECOND',
    10,
    'messages per second',
    'Messages per organization and process across all channels, with bursts lasting up to ten seconds; 0 means no limit.',
    wholeNumber(0, 100_000),
  ),
  outsideMails: setting(
    'OUTSIDE_MAILS_PER_DAY',
    1000,
    'mails per day',
    'Invitations and address confirmations sent by this installation; 0 means no limit.',
    wholeNumber(0, 1_000_000),
  ),
  outsideMailsOfOrganization: setting(
    'OUTSIDE_MAILS_PER_ORGANIZATION',
    100,
    'mails per day',
    'The same per organization; 0 means no limit.',
    wholeNumber(0, 1_000_000),
  ),
  outsideMailsOfRecipient: setting(
    'OUTSIDE_MAILS_PER_RECIPIENT',
    10,
    'mails per day',
    'The same per recipient, across all organizations; 0 means no limit.',
    wholeNumber(0, 1_000_000),
  ),
  mailFrom: setting('MAIL_FROM', 'Tidemark <no-reply@localhost>', '', 'Sender address of emails.', text),
  operatorWebhookUrl: setting(
    'OPERATOR_WEBHOOK_URL',
    undefined as string | undefined,
    '',
    'URL that gets a POST with JSON when the disk of a store fills up, is full or has room again.',
    address('http:', 'https:'),
  ),
  allowInsecureWebhooks: setting(
    'ALLOW_INSECURE_WEBHOOKS',
    false,
    '',
    'Whether notification channels can post over http: and to private networks, for development and tests.',
    yes,
  ),
}
