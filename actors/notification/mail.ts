/** Sends mails that were stored sealed in the transaction of their cause, since they may contain secrets. */
import type { EffectWork } from '#engine/run/effect.ts'
import type { SealedColumn } from '#engine/seal.ts'
import type { Tools } from '#actors/tools.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { retries } from '#streams/retry.ts'

export const mailName = 'mail'

/** Mails wait in the engine's table of calls until they are sent. */
export const mailSealed: SealedColumn = {
  table: 'effect',
  column: 'input',
  member: 'sealed',
  isOfOrg: false,
  purpose: 'deliver email',
}

type MailTools = Pick<Tools, 'channels' | 'open' | 'report'>

/** Sends stored mails. */
export function mailWork({ channels, open, report }: MailTools): EffectWork {
  return {
    name: mailName,
    pool: 'mail',
    retry: retries.email,
    async run(input, { key }) {
      const mail = open(mailSealed, '', (input as { sealed: string }).sealed) as Mail
      if (mail.to !== '') await channels.email.send(mail, key)
    },
    failed: async (_input, { key }, fault) =>
      report.error({ mail: key, err: fault }, 'an email could not be delivered'),
  }
}
