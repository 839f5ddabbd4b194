/** Settings of what people are told by: mail and chats. */
import { address, setting, text, whole, yes } from '#config/setting.ts'

export const told = {
  smtpUrl: setting(
    'SMTP_URL',
    undefined as string | undefined,
    '',
    'Mail server, with user and password; without one mails go to a file, which is for development.',
    address('smtp:', 'smtps:'),
  ),
  channelPace: setting(
    'CHANNEL_MESSAGES_PER_SECOND',
    1,
    'messages a second',
    'What a channel is sent by one process, ten seconds of it at once at most; 0 is no limit.',
    whole(0, 1000),
  ),
  notificationPace: setting(
    'NOTIFICATIONS_PER_SECOND',
    10,
    'messages a second',
    'What the channels of an organization are sent together by one process, ten seconds of it at once at most; 0 is no limit.',
    whole(0, 100_000),
  ),
  outsideMails: setting(
    'OUTSIDE_MAILS_PER_DAY',
    1000,
    'mails a day',
    'Invitations and requests to confirm an address that this installation sends; 0 is no limit.',
    whole(0, 1_000_000),
  ),
  outsideMailsOfOrganization: setting(
    'OUTSIDE_MAILS_PER_ORGANIZATION',
    100,
    'mails a day',
    'Of these, what one organization sends; 0 is no limit.',
    whole(0, 1_000_000),
  ),
  outsideMailsOfRecipient: setting(
    'OUTSIDE_MAILS_PER_RECIPIENT',
    10,
    'mails a day',
    'Of these, what one address gets from all organizations together; 0 is no limit.',
    whole(0, 1_000_000),
  ),
  mailFrom: setting('MAIL_FROM', 'Tidemark <no-reply@localhost>', '', 'Who mails are from.', text),
  allowInsecureWebhooks: setting(
    'ALLOW_INSECURE_WEBHOOKS',
    false,
    '',
    'Whether channels of notifications may post by http: and into private networks, for development and tests.',
    yes,
  ),
}
