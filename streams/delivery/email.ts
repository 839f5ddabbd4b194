/** Sends mail over SMTP, or writes it to a file if no server is configured (for development). */
import { appendFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createTransport } from 'nodemailer'
import type { Reporter } from '#engine/reporter.ts'
import type { Channel } from '#streams/delivery/channel.ts'
import { oneLine } from '#streams/delivery/format/text.ts'

export interface Mail {
  /** Empty: no receiver; nothing is sent. */
  to: string
  subject: string
  text: string
  /** The same content for programs that show HTML. */
  html?: string
  headers?: Readonly<Record<string, string>>
  attachments?: readonly Attachment[]
}

export interface Attachment {
  filename: string
  contentType: string
  /** Text, UTF-8. */
  content: string
}

/**
 * Many mails share few connections to the server. Idle connections are closed before the server would close them in the
 * middle of a mail.
 */
const poolOptions = { pool: true as const, maxConnections: 8, maxMessages: 100, maxRequeues: 1, idleTimeout: 5000 }

/** Sends over SMTP. `url` is smtp: or smtps:, with user and password. */
export function smtp(url: string, from: string): Channel<Mail> {
  const transport = createTransport({
    ...poolOptions,
    url,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  })
  return {
    async send({ to, subject, headers, attachments, ...mail }, id) {
      const messageId = `<${id.replaceAll(/[^\w.-]/g, '.')}@tidemark>`
      const files = attachments && { attachments: attachments.map((one) => ({ ...one })) }
      // As an object, `to` is always a single address; as text it would be parsed as a list.
      const parts = { from, to: { name: '', address: to }, subject: oneLine(subject), ...mail }
      await transport.sendMail({ ...parts, ...files, messageId, ...(headers && { headers: { ...headers } }) })
    },
  }
}

/**
 * Writes mails as JSON lines to `file`: `at`, `to`, `subject`, `text`, and `html`, `headers` and `attachments` if
 * present. Each is reported to the operator without its content; the first in a process as a warning, unless
 * `isExpected`.
 */
export function outbox(file: string, now: () => Date, report: Reporter, isExpected = false): Channel<Mail> {
  let isKnown = isExpected
  return {
    async send({ to, subject, text, html, headers, attachments }) {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
      await appendFile(
        file,
        `${JSON.stringify({ at: now().toISOString(), to, subject: oneLine(subject), text, html, headers, attachments })}\n`,
        {
          mode: 0o600,
        },
      )
      report[isKnown ? 'info' : 'warn']({ file }, 'SMTP_URL is not set: an email was written to the outbox file')
      isKnown = true
    },
  }
}
