/** Delivers mails that were handed over beside their cause, sealed: they may hold secrets. */
import type { EffectWork } from '#engine/effect.ts'
import type { Tools } from '#actors/tools.ts'
import type { Mail } from '#streams/delivery/email.ts'

export const mailName = 'mail'

type MailTools = Pick<Tools, 'channels' | 'open' | 'report'>

/** Delivers what was handed over, up to ten tries in two hours. */
export function mailWork({ channels, open, report }: MailTools): EffectWork {
  return {
    name: mailName,
    triesMax: 10,
    pauseMs: 30_000,
    async run(input, { key }) {
      const mail = open((input as { sealed: string }).sealed) as Mail
      if (mail.to !== '') await channels.email.send(mail, key)
    },
    failed: async (_input, { key }, fault) => report.error({ mail: key, err: fault }, 'a mail could not be delivered'),
  }
}
