import { randomBytes } from 'node:crypto'
import { consoleOf } from '#http/identity/browser.ts'
import { Member, Organization, User } from '#http/identity/entity.ts'
import { newUser, normalized, setPassword } from '#http/identity/login.ts'
import { isCommon } from '#http/identity/password-check.ts'
import { hashPassword } from '#http/identity/password.ts'
import { resetSecondFactor } from '#http/identity/second-factor.ts'
import { isUuid } from '#engine/id.ts'
import { matches } from '#engine/schema.ts'
import { Email, Password } from '#http/edge/field.ts'
import { roles } from '#http/identity/role.ts'
import { required, UsageError, type Command } from '#config/command/command.ts'
import { operator, recordOfOperator } from '#config/command/operator.ts'
import { tokens } from '#config/tokens.ts'
import { heard } from '#config/identity-changed.ts'
import { withInstance } from '#config/instance.ts'

const usage = `tidemark user create EMAIL [--name NAME] [--org ID [--role ${roles.join('|')}]] [--password PASSWORD]`
const resetUsage = 'tidemark user reset-password EMAIL [--password PASSWORD]'
const secondFactorUsage = 'tidemark user reset-second-factor EMAIL'

const passwordOption = {
  '--password PASSWORD':
    'Its password, 8 to 128 characters and none that is guessed first; made and shown this once unless given',
}

function passwordOf(given: unknown, email: string): string {
  if (given === undefined) return randomBytes(15).toString('base64url')
  if (!matches(Password, given)) throw new UsageError('--password must have 8 to 128 characters')
  if (isCommon(given, [email])) throw new UsageError('--password is among those that are guessed first; choose another')
  return given
}

function addressOf(given: string): string {
  const email = normalized(given)
  if (!matches(Email, email)) throw new UsageError(`${given} is no e-mail address`)
  return email
}

export const userCreate: Command = {
  name: 'user create',
  summary: 'Create a person whose address needs no confirmation',
  usage,
  positionals: 1,
  options: {
    name: { type: 'string' },
    org: { type: 'string' },
    role: { type: 'string' },
    password: { type: 'string' },
  },
  about: {
    EMAIL: 'Their address',
    '--name NAME': 'Their name; the address unless given',
    '--org ID': 'An organization they become a member of',
    '--role ROLE': `Their role in it, one of ${roles.join(', ')}; default viewer`,
    ...passwordOption,
  },
  run: async ({ positionals, values }) => {
    const email = addressOf(required({ usage }, positionals[0], 'EMAIL'))
    const password = passwordOf(values['password'], email)
    const role = roles.find((known) => known === (values['role'] ?? 'viewer'))
    if (role === undefined) throw new UsageError(`--role must be one of ${roles.join(', ')}`)
    const org = typeof values['org'] === 'string' ? values['org'] : undefined
    const name = typeof values['name'] === 'string' ? values['name'] : email
    return withInstance(async ({ connections, publicUrl }) => {
      const now = new Date(connections.clock.now())
      const passwordHash = await hashPassword(password)
      const id = await connections.orm.em.fork().transactional(async (em) => {
        const known = await em.findOne(User, { email })
        if (known?.emailVerifiedAt) throw new Error(`${email} has an account already.`)
        const user = known ?? newUser(em, email, name, now)
        Object.assign(user, { name, passwordHash, emailVerifiedAt: now, updatedAt: now })
        if (org !== undefined) {
          const isThere = isUuid(org) && (await em.count(Organization, { id: org })) > 0
          if (!isThere) throw new Error(`There is no organization ${org}.`)
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
        `Signs in at ${signIn.console ?? '/console/ of the edge, once one runs'}`,
      ]
      return { data: { ...data, ...(isOurs && { password }) }, text: lines.join('\n') }
    })
  },
}

export const userResetPassword: Command = {
  name: 'user reset-password',
  summary: 'Set a new password of a person; ends all their sessions',
  usage: resetUsage,
  positionals: 1,
  options: { password: { type: 'string' } },
  about: { EMAIL: 'Their address', ...passwordOption },
  run: async ({ positionals, values }) => {
    const email = addressOf(required({ usage: resetUsage }, positionals[0], 'EMAIL'))
    const password = passwordOf(values['password'], email)
    return withInstance(async ({ connections, product }) => {
      const identity = product().get(tokens.identity)
      await setPassword(identity, email, password, { ...operator, principal: 'operator' })
      await heard(connections.nats)
      if (values['password'] !== undefined) return { data: { email }, text: `The password of ${email} is set.` }
      return { data: { email, password }, text: `Password: ${password}` }
    })
  },
}

export const userResetSecondFactor: Command = {
  name: 'user reset-second-factor',
  summary: 'Take the second factor from a person who has lost it',
  usage: secondFactorUsage,
  positionals: 1,
  options: {},
  about: { EMAIL: 'Their address' },
  run: async ({ positionals }) => {
    const email = addressOf(required({ usage: secondFactorUsage }, positionals[0], 'EMAIL'))
    return withInstance(async ({ connections, product }) => {
      const identity = product().get(tokens.identity)
      const had = await resetSecondFactor(identity, email, { ...operator, principal: 'operator' })
      await heard(connections.nats)
      const text = had ? `${email} signs in without a second factor now.` : `${email} had no second factor.`
      return { data: { email, reset: had }, text }
    })
  },
}
