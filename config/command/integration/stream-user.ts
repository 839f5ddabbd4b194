/** Who may connect to NATS beside the service: one noun a kind, three commands each. */
import { addStreamUser, revokeStreamUser, streamUsers } from '#http/identity/token/stream-user.ts'
import { isOfOrganization, rightsOf, streamUserKinds, type StreamUserKind } from '#streams/stream-user.ts'
import { aboutOrg, requireValue, requireOrg, type Command } from '#config/command/line/command.ts'
import { findOrganization, organizationFilter } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import { recordOfOperator } from '#config/command/line/operator.ts'
import { addressWith, newPassword, streamDomain, userAccountsText } from '#config/embedded/nats-accounts.ts'
import { withInstance } from '#config/product/instance.ts'

const about: Readonly<Record<StreamUserKind, string>> = {
  producer: 'publishes discoveries, metrics and bills for one organization',
  consumer: 'reads the events and dead letters of one organization',
  executor: 'executes actions on resources: reads exec.intent.>, reports on exec.result.>',
  builder: 'builds deployments: reads build.job.>',
}

const article = (kind: StreamUserKind): string => `${kind === 'executor' ? 'an' : 'a'} ${kind}`

/** What a server of the operator's own needs to know, and how it learns it. */
const toServer =
  'Copy the output of "tidemark nats accounts" into users.conf of your NATS server, then reload its configuration twice.'

function createCommand(kind: StreamUserKind): Command {
  const ofOrganization = isOfOrganization(kind)
  const usage = `tidemark ${kind} create ${ofOrganization ? '--org ORG ' : ''}[--name NAME]`
  return {
    name: `${kind} create`,
    summary: `Create ${article(kind)}, which ${about[kind]}; its password is shown only once`,
    usage,
    options: { ...(ofOrganization && { org: { type: 'string' } as const }), name: { type: 'string' } },
    about: {
      ...(ofOrganization && aboutOrg),
      '--name NAME': 'Name; default "command line"',
    },
    run: async ({ values }) => {
      const named = ofOrganization ? requireOrg({ usage }, values['org']) : null
      const name = typeof values['name'] === 'string' ? values['name'] : 'command line'
      const { password, hash } = newPassword()
      return withInstance(async (instance) => {
        const { connections, natsUrl, applyStreamUsers } = instance
        const orgId = named === null ? null : (await findOrganization(instance, named)).id
        const now = new Date(connections.clock.now())
        const user = await connections.orm.em.fork().transactional(async (tx) => {
          const made = await addStreamUser(tx, { kind, orgId, name, hash }, now)
          const detail = { streamUserID: made.id, name }
          await recordOfOperator(tx, { type: 'stream_user_created', orgId: orgId ?? '', detail }, now)
          return made
        })
        const isApplied = await applyStreamUsers()
        const { id } = user
        const { consumer, publish } = rightsOf(user)
        const url = addressWith(natsUrl, id, password)
        const data = {
          id,
          kind,
          orgId,
          name,
          user: id,
          password,
          url,
          publish,
          ...(consumer && { consumer: { stream: consumer.stream, name: id, domain: streamDomain } }),
        }
        const lines = [
          url,
          ...publish.map((subject) => `publish to ${subject}`),
          ...(consumer
            ? [`fetch with: nats -s ${url} --js-domain ${streamDomain} consumer next ${consumer.stream} ${id}`]
            : []),
          ...(isApplied ? [] : [toServer]),
        ]
        return { data, text: lines.join('\n') }
      })
    },
  }
}

function listCommand(kind: StreamUserKind): Command {
  const ofOrganization = isOfOrganization(kind)
  return {
    name: `${kind} list`,
    summary: `List ${kind}s`,
    usage: `tidemark ${kind} list${ofOrganization ? ' [--org ORG]' : ''}`,
    options: ofOrganization ? { org: { type: 'string' } } : {},
    about: ofOrganization ? { '--org ORG': 'Only for this organization (name or ID)' } : {},
    run: async ({ values }) =>
      withInstance(async (instance) => {
        const orgId = await organizationFilter(instance, values['org'])
        const where = { kind, ...(orgId !== undefined && { orgId }) }
        const rows = await streamUsers(instance.connections.orm.em.fork(), where)
        const data = rows.map(({ id, orgId: of, name, createdAt }) => ({
          id,
          orgId: of ?? null,
          name,
          createdAt: createdAt.toISOString(),
        }))
        const lines = data.map((row) => [row.id, row.orgId ?? 'all', row.createdAt, row.name])
        return { data, text: table(['ID', 'ORGANIZATION', 'CREATED', 'NAME'], lines, `No ${kind}s.`) }
      }),
  }
}

function revokeCommand(kind: StreamUserKind): Command {
  const usage = `tidemark ${kind} revoke ${kind.toUpperCase()}_ID`
  return {
    name: `${kind} revoke`,
    summary: `Revoke ${article(kind)} immediately`,
    usage,
    positionals: 1,
    options: {},
    about: { [`${kind.toUpperCase()}_ID`]: `ID from "${kind} list"` },
    run: async ({ positionals }) => {
      const id = requireValue({ usage }, positionals[0], `${kind.toUpperCase()}_ID`)
      return withInstance(async ({ connections, applyStreamUsers }) => {
        const now = new Date(connections.clock.now())
        await connections.orm.em.fork().transactional(async (tx) => {
          const { orgId, name } = await revokeStreamUser(tx, kind, id, now)
          const detail = { streamUserID: id, name }
          await recordOfOperator(tx, { type: 'stream_user_revoked', orgId: orgId ?? '', detail }, now)
        })
        const isApplied = await applyStreamUsers()
        const text = `${kind} ${id} was revoked.`
        return { data: { id }, text: isApplied ? text : `${text} ${toServer}` }
      })
    },
  }
}

export const streamUserCommands: readonly Command[] = streamUserKinds.flatMap((kind) => [
  createCommand(kind),
  listCommand(kind),
  revokeCommand(kind),
])

/** For servers of the operator's own: the embedded one is told by itself. */
export const natsAccounts: Command = {
  name: 'nats accounts',
  summary: 'Print the NATS accounts configuration for your own NATS server',
  usage: 'tidemark nats accounts',
  options: {},
  about: {},
  run: async () =>
    withInstance(async ({ connections }) => {
      const text = userAccountsText(await streamUsers(connections.orm.em.fork()))
      return { data: { accounts: text }, text: text.trimEnd() }
    }),
}
