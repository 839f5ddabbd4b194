/** Delivers mails that were handed over beside their cause, sealed: they may hold secrets. */
import type { EffectWork } from '#engine/effect.ts'
import type { Reporter } from '#engine/reporter.ts'
import type { Channel } from '#streams/delivery/channel.ts'
import type { Mail } from '#streams/delivery/email.ts'

export const mailName = 'mail'

/** Delivers what was handed over, up to ten tries in two hours. */
export function mailWork(email: Channel<Mail>, open: (sealed: string) => unknown, report: Reporter): EffectWork {
  return {
    name: mailName,
    triesMax: 10,
    pauseMs: 30_000,
    async run(input, { key }) {
      const mail = open((input as { sealed: string }).sealed) as Mail
      if (mail.to !== '') await email.send(mail, key)
    },
    failed: async (_input, { key }, fault) => report.error({ mail: key, err: fault }, 'a mail could not be delivered'),
  }
}
