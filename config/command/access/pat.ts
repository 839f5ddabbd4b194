import { Fault } from '#engine/value/fault.ts'
import { dayMs } from '#engine/value/day.ts'
import { isUuid } from '#engine/value/id.ts'
import { PersonalAccessToken, personalScopes, User } from '#http/identity/entity.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { roles } from '#http/identity/organization/role.ts'
import { tokenEnd } from '#http/identity/token/token-end.ts'
import { aboutOrg, requireValue, requireOrg, UsageError, type Command } from '#config/command/line/command.ts'
import { table } from '#config/command/line/table.ts'
import { withOrganization } from '#config/command/line/engine.ts'
import { recordOfOperator } from '#config/command/line/operator.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { tokens } from '#config/wiring/tokens.ts'

const usage = `tidemark pat create --org ORG [--role ${roles.join('|')} | --user EMAIL] [--scope ${personalScopes.join('|')}] [--days DAYS|never] [--name NAME]`
const listUsage = 'tidemark pat list --org ORG'
const revokeUsage = 'tidemark pat revoke TOKEN_ID --org ORG'
const orgOption = { org: { type: 'string' } } as const

export const patCreate: Command = {
  name: 'pat create',
  summary: 'Create a personal access token; it is shown only once',
  usage,
  options: {
    ...orgOption,
    role: { type: 'string' },
    user: { type: 'string' },
    scope: { type: 'string' },
    days: { type: 'string' },
    name: { type: 'string' },
  },
  about: {
    ...aboutOrg,
    '--role ROLE': `Role of a machine token: one of ${roles.join(', ')}; default viewer`,
    '--user EMAIL': 'Create the token for this member instead; it always has the current permissions of the member',
    '--scope SCOPE': 'Scope: api, or analyst for SQL access; default api',
    '--days DAYS': 'Days until the token expires, or never; default 90 for a member, never for a machine',
    '--name NAME': 'Name of the token; default "command line"',
  },
  run: async ({ values }) => {
    const named = requireOrg({ usage }, values['org'])
    const email = typeof values['user'] === 'string' ? values['user'] : undefined
    if (email !== undefined && values['role'] !== undefined)
      throw new UsageError('--role and --user cannot be combined')
    const role = roles.find((known) => known === (values['role'] ?? 'viewer'))
    if (role === undefined) throw new UsageError(`--role must be one of ${roles.join(', ')}`)
    const scope = personalScopes.find((known) => known === (values['scope'] ?? 'api'))
    if (scope === undefined) throw new UsageError(`--scope must be one of ${personalScopes.join(', ')}`)
    const days = daysIn(values['days'] ?? (email === undefined ? 'never' : undefined))
    const name = typeof values['name'] === 'string' ? values['name'] : 'command line'
    return withOrganization(named, async ({ connections }, org) => {
      const em = connections.orm.em.fork()
      const user = email === undefined ? undefined : await em.findOne(User, { email: normalizeEmail(email) })
      if (user === null) throw new Error(`User ${email} was not found.`)
      const whose = user ? { role: null, userId: user.id } : { role }
      const now = new Date(connections.clock.now())
      const expiresAt = tokenEnd(typeof days === 'number' ? new Date(now.getTime() + days * dayMs) : days, now)
      const { token, secret } = await em.transactional(async (tx) => {
        const made = await createToken(tx, org, { ...whose, name, scope, expiresAt }, now)
        const detail = { tokenID: made.token.id, name, ...(scope !== 'api' && { scope }) }
        await recordOfOperator(tx, { type: 'token_created', orgId: org, userId: made.token.userId, detail }, now)
        return made
      })
      const end = expiresAt?.toISOString() ?? null
      const data = { id: token.id, orgId: org, role: whose.role, scope, name, expiresAt: end, token: secret }
      return { data: user ? { ...data, user: user.email } : data, text: secret }
    })
  },
}

/** Undefined: nothing is said; null: for ever. @throws UsageError */
function daysIn(given: unknown): number | null | undefined {
  if (given === undefined) return undefined
  if (given === 'never') return null
  if (typeof given === 'string' && /^[1-9]\d{0,3}$/.test(given)) return Number(given)
  throw new UsageError('--days must be a whole number from 1 to 9999, or never')
}

export const patList: Command = {
  name: 'pat list',
  summary: 'List active personal access tokens',
  usage: listUsage,
  options: orgOption,
  about: aboutOrg,
  run: async ({ values }) => {
    const named = requireOrg({ usage: listUsage }, values['org'])
    return withOrganization(named, async ({ connections }, orgId) => {
      const em = connections.orm.em.fork()
      const rows = await em.find(PersonalAccessToken, { orgId, revokedAt: null }, { orderBy: { createdAt: 'asc' } })
      const users = await em.find(User, { id: rows.flatMap(({ userId }) => userId ?? []) })
      const emails = new Map(users.map(({ id, email }) => [id, email]))
      const data = rows.map(({ id, name, role, scope, userId, lastFour, createdAt, lastUsedAt, expiresAt }) => ({
        id,
        name,
        role: role ?? null,
        scope,
        userId,
        user: (userId && emails.get(userId)) ?? null,
        prefix: `svc_pat_…${lastFour}`,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
        expiresAt: expiresAt?.toISOString() ?? null,
      }))
      const lines = data.map((row) => [
        row.id,
        row.prefix,
        row.scope,
        row.role ?? row.user ?? 'user',
        row.lastUsedAt ?? 'never',
        row.expiresAt ?? 'never',
        row.name,
      ])
      const header = ['ID', 'TOKEN', 'SCOPE', 'ROLE OR USER', 'LAST USED', 'EXPIRES', 'NAME']
      return { data, text: table(header, lines, 'No tokens.') }
    })
  },
}

export const patRevoke: Command = {
  name: 'pat revoke',
  summary: 'Revoke a personal access token immediately',
  usage: revokeUsage,
  positionals: 1,
  options: orgOption,
  about: { TOKEN_ID: 'ID from "pat list"', ...aboutOrg },
  run: async ({ positionals, values }) => {
    const id = requireValue({ usage: revokeUsage }, positionals[0], 'TOKEN_ID')
    const named = requireOrg({ usage: revokeUsage }, values['org'])
    return withOrganization(named, async ({ connections, product }, orgId) => {
      const now = new Date(connections.clock.now())
      await connections.orm.em.fork().transactional(async (em) => {
        const found = isUuid(id) ? await em.findOne(PersonalAccessToken, { orgId, id, revokedAt: null }) : null
        if (!found) throw Fault.missing('token', id)
        found.revokedAt = now
        const { userId, name } = found
        await recordOfOperator(em, { type: 'token_revoked', orgId, userId, detail: { tokenID: id, name } }, now)
      })
      product().get(tokens.identity).changed({ tokenId: id })
      await waitUntilHeard(connections.nats)
      return { data: { id }, text: `Token ${id} was revoked.` }
    })
  },
}
