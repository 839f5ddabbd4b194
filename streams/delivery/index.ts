/** The channels by which people are reached, by their names. */
import type { Reporter } from '#engine/reporter.ts'
import type { Channel } from '#streams/delivery/channel.ts'
import { outbox, smtp, type Mail } from '#streams/delivery/email.ts'

export interface Channels {
  readonly email: Channel<Mail>
}

/** Where chats may be posted to. */
export interface Webhooks {
  /** Into private networks, and by http:. */
  readonly allowPrivate: boolean
}

export interface ChannelOptions {
  /** smtp: or smtps:; without one, mails are lines of the outbox file. */
  smtpUrl?: string | undefined
  mailFrom: string
  outboxFile: string
  now: () => Date
  report: Reporter
}

export const channelsOf = ({ smtpUrl, mailFrom, outboxFile, now, report }: ChannelOptions): Channels => ({
  email: smtpUrl ? smtp(smtpUrl, mailFrom) : outbox(outboxFile, now, report),
})
