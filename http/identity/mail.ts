/** The mails identity sends: written here, sealed in the transaction of their cause, delivered at least once afterwards. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { mailName, mailSealed } from '#actors/notification/mail.ts'
import { tell } from '#engine/tell.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { quoted } from '#streams/delivery/format/text.ts'

/** Hands a mail over. Sealed, for it may hold a one-time password. Without an address nothing is sent, in the same time. `orgId` where `em` sees that organization alone. */
export async function sendMail(
  em: EntityManager,
  { seal }: Pick<IdentityTools, 'seal'>,
  mail: Mail,
  orgId = '',
): Promise<void> {
  await tell(em, {
    key: `${mailName}:${randomUUID()}`,
    name: mailName,
    orgId,
    input: { sealed: seal(mailSealed, '', mail) },
  })
}

const close = '\n\nIf it was not you, you need not do anything.\n'

export const verifyMail = (to: string, code: string): Mail => ({
  to,
  subject: `${code} is your Tidemark code`,
  text: `Your code to confirm this address is ${code}. It is good for 10 minutes.${close}`,
})

export const resetMail = (to: string, code: string): Mail => ({
  to,
  subject: `${code} is your Tidemark code for a new password`,
  text: `Your code to set a new password is ${code}. It is good for 10 minutes.${close}`,
})

export const alreadyMail = (to: string): Mail => ({
  to,
  subject: 'You have a Tidemark account already',
  text: `Somebody signed up with this address, which has an account already. Sign in, or ask for a new password.${close}`,
})

export const uninvitedMail = (to: string): Mail => ({
  to,
  subject: 'Tidemark takes people by invitation here',
  text: `Somebody signed up with this address. Accounts are made by invitation here: ask an administrator of your organization to invite this address, then sign up again.${close}`,
})

export const invitedMail = (to: string, organization: string, appUrl: string): Mail => ({
  to,
  subject: `You are invited to ${quoted(organization)} on Tidemark`,
  text: `You are invited to ${quoted(organization)}. Sign in with this address, or sign up if you have no account: ${appUrl}\n`,
})

/** Asks whom a channel would send mails to. */
export const confirmMail = (to: string, organization: string, channel: string, link: string): Mail => ({
  to,
  subject: `${quoted(organization)} wants to send you notifications`,
  text: `The organization ${quoted(organization)} wants to send notifications to this address, by its channel ${quoted(channel)} on Tidemark. You get none unless you agree:

${link}

The link works once, for 7 days. If you do not know this organization, you need not do anything.
`,
})

/** To the person of a token, who chose its name. */
export const tokenEndMail = (
  to: string,
  { name, organization, endsAt }: { name: string; organization: string; endsAt: Date },
): Mail => ({
  to,
  subject: `Your Tidemark token ${quoted(name)} ends on ${endsAt.toISOString().slice(0, 10)}`,
  text: `Your personal access token ${quoted(name)} of the organization ${quoted(organization)} ends at ${endsAt.toISOString()}. From then on whatever uses it is refused.

If it is still needed, make another one before and put it in its place. If not, revoke it. Your tokens are in your account, under Tokens.
`,
})

/** To an owner; the name is quoted, for people choose it. */
export const closingMail = (to: string, organization: string, deletesAt: Date): Mail => ({
  to,
  subject: 'Your organization on Tidemark will be deleted',
  text: `An owner has asked for the deletion of the organization "${organization}". It is closed now, and everything of it will be deleted on ${deletesAt.toISOString()}.\n\nUntil then an owner can restore it: sign in and open the settings of the organization.\n`,
})
