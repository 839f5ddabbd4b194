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
import { requireValue, UsageError, type Command } from '#config/command/line/command.ts'
import { findOrganization } from '#config/command/line/engine.ts'
import { operator, recordOfOperator } from '#config/command/line/operator.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { withInstance } from '#config/product/instance.ts'

const usage = `tidemark user create EMAIL [--name NAME] [--org ORG [--role ${roles.join('|')}]] [--password PASSWORD]`
const resetUsage = 'tidemark user reset-password EMAIL [--password PASSWORD]'
const secondFactorUsage = 'tidemark user reset-second-factor EMAIL'

const passwordOption = {
  '--password PASSWORD': 'Password, 8 to 128 characters, not a common one; default: generated and shown once',
}

function passwordOf(given: unknown, email: string): string {
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

export const userCreate: Command = {
  name: 'user create',
  summary: 'Create a user with a confirmed address',
  usage,
  positionals: 1,
  options: {
    name: { type: 'string' },
    org: { type: 'string' },
    role: { type: 'string' },
    password: { type: 'string' },
  },
  about: {
    EMAIL: 'Email address',
    '--name NAME': 'Name; default: the address',
    '--org ORG': 'Organization to join (name or ID)',
    '--role ROLE': `Role in the organization, one of ${roles.join(', ')}; default viewer`,
    ...passwordOption,
  },
  run: async ({ positionals, values }) => {
    const email = addressOf(requireValue({ usage }, positionals[0], 'EMAIL'))
    const password = passwordOf(values['password'], email)
    const role = roles.find((known) => known === (values['role'] ?? 'viewer'))
    if (role === undefined) throw new UsageError(`--role must be one of ${roles.join(', ')}`)
    const organization = typeof values['org'] === 'string' ? values['org'] : undefined
    const name = typeof values['name'] === 'string' ? values['name'] : email
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
      const isOurs = values['password'] === undefined
      const lines = [
        `User ${email}: ${id}`,
        ...(isOurs ? [`Password: ${password}`] : []),
        `Sign in at ${signIn.console ?? '/console/ of the edge, once it is running'}`,
      ]
      return { data: { ...data, ...(isOurs && { password }) }, text: lines.join('\n') }
    })
  },
}

export const userResetPassword: Command = {
  name: 'user reset-password',
  summary: 'Set a new password for a user and end all their sessions',
  usage: resetUsage,
  positionals: 1,
  options: { password: { type: 'string' } },
  about: { EMAIL: 'Email address', ...passwordOption },
  run: async ({ positionals, values }) => {
    const email = addressOf(requireValue({ usage: resetUsage }, positionals[0], 'EMAIL'))
    const password = passwordOf(values['password'], email)
    return withInstance(async ({ connections, product }) => {
      const identity = product().get(tokens.identity)
      await setPassword(identity, email, password, { ...operator, principal: 'operator' })
      await waitUntilHeard(connections.nats)
      if (values['password'] !== undefined) return { data: { email }, text: `The password of ${email} was changed.` }
      return { data: { email, password }, text: `Password: ${password}` }
    })
  },
}

export const userResetSecondFactor: Command = {
  name: 'user reset-second-factor',
  summary: 'Remove the second factor of a user who lost it',
  usage: secondFactorUsage,
  positionals: 1,
  options: {},
  about: { EMAIL: 'Email address' },
  run: async ({ positionals }) => {
    const email = addressOf(requireValue({ usage: secondFactorUsage }, positionals[0], 'EMAIL'))
    return withInstance(async ({ connections, product }) => {
      const identity = product().get(tokens.identity)
      const had = await resetSecondFactor(identity, email, { ...operator, principal: 'operator' })
      await waitUntilHeard(connections.nats)
      const text = had ? `${email} can now sign in without a second factor.` : `${email} had no second factor.`
      return { data: { email, reset: had }, text }
    })
  },
}
