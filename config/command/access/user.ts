import { randomBytes } from 'node:crypto'
import { consoleOf } from '#http/identity/session/browser.ts'
import { Member, User } from '#http/identity/entity.ts'
import { newUser, normalizeEmail, setPassword } from '#http/identity/session/login.ts'
import { isCommon } from '#http/identity/password/password-check.ts'
import { hashPassword } from '#http/identity/password/password.ts'
import { resetSecondFactor } from '#http/identity/second-factor/second-factor.ts'
import { matches } from '#engine/value/schema.ts'
import { Email, Password } from '#http/edge/parameter/field.ts'
import { roles } from '#http/identity/organization/role.ts'
import { command, storeCommand } from '#config/command/line/build.ts'
import { UsageError, type Command } from '#config/command/line/command.ts'
import { argument, choiceOr, optional, readAs } from '#config/command/line/flag.ts'
import { findOrganization } from '#config/command/line/engine.ts'
import { operator, recordOfOperator } from '#config/command/line/operator.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { withInstance } from '#config/product/instance.ts'

/** The password that was typed, or a new one. @throws UsageError */
function passwordOf(given: string | undefined, email: string): string {
  if (given === undefined) return randomBytes(15).toString('base64url')
  if (!matches(Password, given)) throw new UsageError('--password must have 8 to 128 characters')
  if (isCommon(given, [email])) throw new UsageError('--password is a common password; choose another one')
  return given
}

function addressOf(given: string): string {
  const email = normalizeEmail(given)
  if (!matches(Email, email)) throw new UsageError(`${given} is not a valid email address`)
  return email
}

const email = readAs(argument('EMAIL', 'Email address'), addressOf)
const password = optional(
  'PASSWORD',
  'Password, 8 to 128 characters, not a common one; default: generated and shown once',
)
const byOperator = { ...operator, principal: 'operator' }

export const userCommands: readonly Command[] = [
  command({
    name: 'user create',
    summary: 'Create a user with a confirmed address',
    usage: `EMAIL [--name NAME] [--org ORG [--role ${roles.join('|')}]] [--password PASSWORD]`,
    takes: {
      email,
      name: optional('NAME', 'Name; default: the address'),
      org: optional('ORG', 'Organization to join (name or ID)'),
      role: choiceOr('ROLE', roles, 'viewer', `Role in the organization, one of ${roles.join(', ')}; default viewer`),
      password,
    },
    run: ({ email, name = email, org: organization, role, password: typed }) => {
      const password = passwordOf(typed, email)
      return withInstance(async (instance) => {
        const { connections, publicUrl } = instance
        const org = organization === undefined ? undefined : (await findOrganization(instance, organization)).id
        const now = new Date(connections.clock.now())
        const passwordHash = await hashPassword(password)
        const id = await connections.orm.em.fork().transactional(async (em) => {
          const known = await em.findOne(User, { email })
          if (known?.emailVerifiedAt) throw new Error(`${email} already has an account.`)
          const user = known ?? newUser(em, email, name, now)
          Object.assign(user, { name, passwordHash, emailVerifiedAt: now, updatedAt: now })
          if (org !== undefined) {
            const member = { orgId: org, userId: user.id, roleId: role, status: 'active' as const, createdAt: now }
            await em.upsert(Member, member)
            const detail = { member: user.id, to: role }
            await recordOfOperator(em, { type: 'member_changed', orgId: org, email, detail }, now)
          }
          return user.id
        })
        const signIn = publicUrl === undefined ? {} : { console: consoleOf(publicUrl) }
        const data = { id, email, name, ...(org !== undefined && { orgId: org, role }), ...signIn }
        const isOurs = typed === undefined
        const lines = [
          `User ${email}: ${id}`,
          ...(isOurs ? [`Password: ${password}`] : []),
          `Sign in at ${signIn.console ?? '/console/ of the edge, once it is running'}`,
        ]
        return { data: { ...data, ...(isOurs && { password }) }, text: lines.join('\n') }
      })
    },
  }),
  command({
    name: 'user reset-password',
    summary: 'Set a new password for a user and end all their sessions',
    takes: { email, password },
    run: ({ email, password: typed }) => {
      const password = passwordOf(typed, email)
      return withInstance(async ({ connections, product }) => {
        await setPassword(product().get(tokens.identity), email, password, byOperator)
        await waitUntilHeard(connections.nats)
        if (typed !== undefined) return { data: { email }, text: `The password of ${email} was changed.` }
        return { data: { email, password }, text: `Password: ${password}` }
      })
    },
  }),
]

export const userResetSecondFactor = storeCommand({
  name: 'user reset-second-factor',
  summary: 'Remove the second factor of a user who lost it',
  takes: { email },
  run: async ({ connections, product }, { email }) => {
    const reset = await resetSecondFactor(product().get(tokens.identity), email, byOperator)
    await waitUntilHeard(connections.nats)
    const text = reset ? `${email} can now sign in without a second factor.` : `${email} had no second factor.`
    return { data: { email, reset }, text }
  },
})
