/**
 * The mails of identity: written here, stored sealed in the transaction of their cause, and sent afterwards at least
 * once.
 */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { mailName, mailSealed } from '#actors/notification/mail.ts'
import { tell } from '#engine/run/tell.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { quoteName } from '#streams/delivery/format/text.ts'

/**
 * Stores a mail for sending, sealed because it may contain a one-time password. Without an address nothing is sent, but
 * it takes the same time. `orgId` is needed if `em` sees only that organization.
 */
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

const close = '\n\nIf you did not request this, you can ignore this email.\n'

export const verifyMail = (to: string, code: string): Mail => ({
  to,
  subject: `${code} is your Tidemark code`,
  text: `Your code to confirm this address is ${code}. It expires in 10 minutes.${close}`,
})

export const resetMail = (to: string, code: string): Mail => ({
  to,
  subject: `${code} is your Tidemark code to set a new password`,
  text: `Your code to set a new password is ${code}. It expires in 10 minutes.${close}`,
})

export const alreadyMail = (to: string): Mail => ({
  to,
  subject: 'You already have a Tidemark account',
  text: `Someone tried to sign up with this address, which already has an account. Sign in, or request a new password.${close}`,
})

export const uninvitedMail = (to: string): Mail => ({
  to,
  subject: 'Tidemark accounts are by invitation here',
  text: `Someone tried to sign up with this address. Accounts are by invitation only here: ask an administrator of your organization to invite this address, then sign up again.${close}`,
})

export const invitedMail = (to: string, organization: string, appUrl: string): Mail => ({
  to,
  subject: `You have been invited to ${quoteName(organization)} on Tidemark`,
  text: `You have been invited to ${quoteName(organization)}. Sign in with this address, or sign up if you do not have an account: ${appUrl}\n`,
})

/** Asks the recipient of a channel for confirmation. */
export const confirmMail = (to: string, organization: string, channel: string, link: string): Mail => ({
  to,
  subject: `${quoteName(organization)} wants to send you notifications`,
  text: `The organization ${quoteName(organization)} wants to send notifications to this address through its channel ${quoteName(channel)} on Tidemark. You will not receive any unless you agree:

${link}

The link works once and expires in 7 days. If you do not know this organization, you can ignore this email.
`,
})

/** To the owner of a token, who chose its name. */
export const tokenEndMail = (
  to: string,
  { name, organization, endsAt }: { name: string; organization: string; endsAt: Date },
): Mail => ({
  to,
  subject: `Your Tidemark token ${quoteName(name)} expires on ${endsAt.toISOString().slice(0, 10)}`,
  text: `Your personal access token ${quoteName(name)} for the organization ${quoteName(organization)} expires at ${endsAt.toISOString()}. Requests that use it will be rejected after that.

If you still need it, create a new token and replace this one before it expires. If not, revoke it. Your tokens are in your account, under Tokens.
`,
})

/** To an owner. The name is quoted, because people choose it. */
export const closingMail = (to: string, organization: string, deletesAt: Date): Mail => ({
  to,
  subject: 'Your organization on Tidemark will be deleted',
  text: `An owner has requested the deletion of the organization "${organization}". It is closed now, and all of its data will be deleted on ${deletesAt.toISOString()}.\n\nUntil then, an owner can restore it: sign in and open the settings of the organization.\n`,
})
