/** One delivery try: a signed post to a chat, or a mail. Failures of the receiver are outcomes, not exceptions. */
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { retryAfterMaxMs } from '#engine/actor/retry.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Channel } from '#streams/delivery/channel.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { mailBody } from '#streams/delivery/format/email.ts'
import { googleChatBody } from '#streams/delivery/format/google-chat.ts'
import { opsgenieBody, opsgenieHeaders, pagerDutyBody } from '#streams/delivery/format/incident.ts'
import type { Message } from '#streams/delivery/format/message.ts'
import { slackBody } from '#streams/delivery/format/slack.ts'
import { teamsBody } from '#streams/delivery/format/teams.ts'
import { webhookBody } from '#streams/delivery/format/webhook.ts'
import { fetchOutside, type OutsideAnswer, type OutsideRequest } from '#streams/delivery/outbound.ts'
import type { DeliveryOutcome } from '#streams/delivery/outcome.ts'
import { splitAddress, type ChatType } from '#streams/notification/channel.ts'

export interface ChatPost {
  url: string
  /** Key for the signature. */
  secret: Buffer | string
  message: Message
  now: () => Date
}

/** `keep` and `resolve` as for `fetchOutside`; the timeout is ten seconds by default. */
export type PostOptions = Pick<OutsideRequest, 'allowPrivate' | 'keep' | 'resolve'> & { timeoutMs?: number }

interface Receiver {
  body: (message: Message, key: string) => object
  headers?: (key: string) => Record<string, string>
}

const receivers: Readonly<Record<ChatType, Receiver>> = {
  slack: { body: slackBody },
  teams: { body: teamsBody },
  google_chat: { body: googleChatBody },
  pagerduty: { body: pagerDutyBody },
  opsgenie: { body: opsgenieBody, headers: opsgenieHeaders },
  generic_webhook: { body: webhookBody },
}

/** Posts the message. 2xx means delivered, whatever the body. */
export async function postChat(
  type: ChatType,
  { url: address, secret, message, now }: ChatPost,
  { timeoutMs = 10_000, ...options }: PostOptions,
): Promise<DeliveryOutcome> {
  const { url, key = '' } = splitAddress(type, address)
  const receiver = receivers[type]
  const body = JSON.stringify(receiver.body(message, key))
  const timestamp = String(Math.floor(now().getTime() / 1000))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Tidemark-Notifications/1',
    'X-Tidemark-Event': message.event.eventType,
    'X-Tidemark-Delivery': message.deliveryId,
    'X-Tidemark-Timestamp': timestamp,
    'X-Tidemark-Signature': `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
    ...receiver.headers?.(key),
  }
  try {
    return outcomeOf(
      await fetchOutside(url, { ...options, method: 'POST', headers, body, timeoutMs, bytesMax: 65_536 }),
      now(),
    )
  } catch (error) {
    const { retryable, message: reason } = Fault.from(error)
    return { outcome: retryable ? 'retry' : 'final', responseStatus: 0, message: reason }
  }
}

function outcomeOf({ status, headers }: Pick<OutsideAnswer, 'status' | 'headers'>, now: Date): DeliveryOutcome {
  if (status >= 200 && status < 300) return { outcome: 'delivered', responseStatus: status, message: '' }
  const said = { responseStatus: status, message: `The server returned HTTP ${status}.` }
  if (status !== 408 && status !== 429 && status < 500) return { outcome: 'final', ...said }
  const retryAfterMs = retryAfterOf(headers, now)
  return { outcome: 'retry', ...said, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Milliseconds; the header has seconds or a date (RFC 9110, 10.2.3). */
function retryAfterOf({ 'retry-after': value = '' }: IncomingHttpHeaders, now: Date): number | undefined {
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), retryAfterMaxMs)
}

/** A single address, without characters that could change a header. */
const address = /^[^\s<>()[\]\\,;:"@\p{Cc}\p{Cf}]+@[^\s<>()[\]\\,;:"@\p{Cc}\p{Cf}]+$/u

/** Mails the message; all tries use the delivery's id. */
export async function postMail(email: Channel<Mail>, to: string, message: Message): Promise<DeliveryOutcome> {
  const said = (outcome: DeliveryOutcome['outcome'], text: string): DeliveryOutcome => ({
    outcome,
    responseStatus: 0,
    message: text,
  })
  if (!address.test(to)) return said('final', 'The email address is not valid.')
  const mail = { to, ...mailBody(message) }
  try {
    await email.send(mail, message.deliveryId)
    return said('delivered', '')
  } catch (error) {
    const { command, responseCode = 0 } = error as { command?: unknown; responseCode?: number }
    if (responseCode === 0) return said('retry', 'The email could not be sent.')
    const isFinal = command === 'RCPT TO' && responseCode >= 500
    return said(isFinal ? 'final' : 'retry', `The mail server returned ${responseCode}.`)
  }
}
