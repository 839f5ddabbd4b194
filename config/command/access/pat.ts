import { command, orgCommand } from '#config/command/line/build.ts'
import { UsageError, type Command } from '#config/command/line/command.ts'
import { withOrganization } from '#config/command/line/engine.ts'
import { argument, choiceOr, choice, optional, org, readAs } from '#config/command/line/flag.ts'
import { recordOfOperator } from '#config/command/line/operator.ts'
import { listOf } from '#config/command/line/table.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { PersonalAccessToken, personalScopes, User } from '#http/identity/entity.ts'
import { roles } from '#http/identity/organization/role.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { tokenEnd } from '#http/identity/token/token-end.ts'

const days = readAs(
  optional('DAYS', 'Days until the token expires, or never; default 90 for a member, never for a machine'),
  (given, name) => {
    if (given === undefined || given === 'never') return given
    if (/^[1-9]\d{0,3}$/.test(given)) return Number(given)
    throw new UsageError(`${name} must be a whole number from 1 to 9999, or never`)
  },
)

const show = (
  { id, name, role, scope, userId, lastFour, createdAt, lastUsedAt, expiresAt, refreshEndsAt }: PersonalAccessToken,
  emails: ReadonlyMap<string, string>,
) => ({
  id,
  name,
  role: role ?? null,
  scope,
  userId,
  user: (userId && emails.get(userId)) ?? null,
  prefix: `svc_pat_…${lastFour}`,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  expiresAt: (refreshEndsAt ?? expiresAt)?.toISOString() ?? null,
})

const list = listOf<ReturnType<typeof show>>(
  {
    ID: 'id',
    TOKEN: 'prefix',
    SCOPE: 'scope',
    'ROLE OR USER': ({ role, user }) => role ?? user ?? 'user',
    'LAST USED': ({ lastUsedAt }) => lastUsedAt ?? 'never',
    EXPIRES: ({ expiresAt }) => expiresAt ?? 'never',
    NAME: 'name',
  },
  'No tokens.',
)

export const patCommands: readonly Command[] = [
  command({
    name: 'pat create',
    summary: 'Create a personal access token; it is shown only once',
    usage: `--org ORG [--role ${roles.join('|')} | --user EMAIL] [--scope ${personalScopes.join('|')}] [--days DAYS|never] [--name NAME]`,
    takes: {
      org,
      role: {
        ...choice('ROLE', roles),
        about: `Role of a machine token: one of ${roles.join(', ')}; default viewer`,
      },
      user: optional(
        'EMAIL',
        'Create the token for this member instead; it always has the current permissions of the member',
      ),
      scope: choiceOr('SCOPE', personalScopes, 'api', 'Scope: api, or analyst for SQL access; default api'),
      days,
      name: optional('NAME', 'Name of the token; default "command line"'),
    },
    run: ({ org: named, role, user: email, scope, days, name = 'command line' }) => {
      if (email !== undefined && role !== undefined) throw new UsageError('--role and --user cannot be combined')
      return withOrganization(named, async ({ connections }, orgId) => {
        const em = connections.orm.em.fork()
        const user = email === undefined ? undefined : await em.findOne(User, { email: normalizeEmail(email) })
        if (user === null) throw new Error(`User ${email} was not found.`)
        const whose = user ? { role: null, userId: user.id } : { role: role ?? 'viewer' }
        const now = new Date(connections.clock.now())
        const usual = user ? undefined : null
        const end = typeof days === 'number' ? new Date(now.getTime() + days * dayMs) : days === 'never' ? null : usual
        const expiresAt = tokenEnd(end, now)
        const { token, secret } = await em.transactional(async (tx) => {
          const made = await createToken(tx, orgId, { ...whose, name, scope, expiresAt }, now)
          const detail = { tokenID: made.token.id, name, ...(scope !== 'api' && { scope }) }
          await recordOfOperator(tx, { type: 'token_created', orgId, userId: made.token.userId, detail }, now)
          return made
        })
        const data = {
          id: token.id,
          orgId,
          role: whose.role,
          scope,
          name,
          expiresAt: expiresAt?.toISOString() ?? null,
          token: secret,
        }
        return { data: user ? { ...data, user: user.email } : data, text: secret }
      })
    },
  }),
  orgCommand({
    name: 'pat list',
    summary: 'List active personal access tokens',
    takes: { org },
    run: async ({ connections }, orgId) => {
      const em = connections.orm.em.fork()
      const rows = await em.find(PersonalAccessToken, { orgId, revokedAt: null }, { orderBy: { createdAt: 'asc' } })
      const users = await em.find(User, { id: rows.flatMap(({ userId }) => userId ?? []) })
      const emails = new Map(users.map(({ id, email }) => [id, email]))
      return list(rows.map((row) => show(row, emails)))
    },
  }),
  orgCommand({
    name: 'pat revoke',
    summary: 'Revoke a personal access token immediately',
    takes: { id: argument('TOKEN_ID', 'ID from "pat list"'), org },
    run: async ({ connections, product }, orgId, { id }) => {
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
    },
  }),
]
