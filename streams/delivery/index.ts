/** The delivery channels, by name. */
import type { Reporter } from '#engine/reporter.ts'
import type { Channel } from '#streams/delivery/channel.ts'
import { outbox, smtp, type Mail } from '#streams/delivery/email.ts'

export interface Channels {
  readonly email: Channel<Mail>
}

/** Where chat messages may be posted. */
export interface Webhooks {
  /** Including private networks, and http:. */
  readonly allowPrivate: boolean
}

export interface ChannelOptions {
  /** smtp: or smtps:; without it, mails are lines in the outbox file. */
  smtpUrl?: string | undefined
  mailFrom: string
  outboxFile: string
  /** Whether the operator knows about that file and needs no warning. */
  isOutboxExpected: boolean
  now: () => Date
  report: Reporter
}

export const channelsOf = ({
  smtpUrl,
  mailFrom,
  outboxFile,
  isOutboxExpected,
  now,
  report,
}: ChannelOptions): Channels => ({
  email: smtpUrl ? smtp(smtpUrl, mailFrom) : outbox(outboxFile, now, report, isOutboxExpected),
})
