/** Who may connect to NATS beside the service: one noun a kind, three commands each. */
import { addStreamUser, revokeStreamUser, streamUsers } from '#http/identity/stream-user.ts'
import { isOfOrganization, rightsOf, streamUserKinds, type StreamUserKind } from '#streams/stream-user.ts'
import { required, type Command } from '#config/command/command.ts'
import { recordOfOperator } from '#config/command/operator.ts'
import { addressWith, newPassword, streamDomain, userAccountsText } from '#config/embedded/nats-accounts.ts'
import { withInstance } from '#config/instance.ts'

const about: Readonly<Record<StreamUserKind, string>> = {
  producer: 'publishes discoveries, metrics and bills of one organization',
  consumer: 'reads the events and the dead letters of one organization',
  executor: 'carries out what is to be done to resources: exec.intent.>, answers on exec.result.>',
  builder: 'builds what is deployed: build.job.>',
}

const article = (kind: StreamUserKind): string => `${kind === 'executor' ? 'an' : 'a'} ${kind}`

/** What a server of the operator's own needs to know, and how it learns it. */
const toServer =
  'Put what `tidemark nats accounts` prints into users.conf of your NATS, and have it reload its configuration twice.'

function createCommand(kind: StreamUserKind): Command {
  const ofOrganization = isOfOrganization(kind)
  const usage = `tidemark ${kind} create ${ofOrganization ? '--org ID ' : ''}[--name NAME]`
  return {
    name: `${kind} create`,
    summary: `Create ${article(kind)}, which ${about[kind]}; its password is shown this once`,
    usage,
    options: { ...(ofOrganization && { org: { type: 'string' } as const }), name: { type: 'string' } },
    about: {
      ...(ofOrganization && { '--org ID': 'The organization it is bound to' }),
      '--name NAME': 'What it is for; default "command line"',
    },
    run: async ({ values }) => {
      const orgId = ofOrganization ? required({ usage }, values['org'], '--org') : null
      const name = typeof values['name'] === 'string' ? values['name'] : 'command line'
      const { password, hash } = newPassword()
      return withInstance(async ({ connections, natsUrl, applyStreamUsers }) => {
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
          ...publish.map((subject) => `publishes on ${subject}`),
          ...(consumer
            ? [`fetches by: nats -s ${url} --js-domain ${streamDomain} consumer next ${consumer.stream} ${id}`]
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
    summary: `List the ${kind}s that may connect`,
    usage: `tidemark ${kind} list${ofOrganization ? ' [--org ID]' : ''}`,
    options: ofOrganization ? { org: { type: 'string' } } : {},
    about: ofOrganization ? { '--org ID': 'Only those of one organization' } : {},
    run: async ({ values }) =>
      withInstance(async ({ connections }) => {
        const org = values['org']
        const where = { kind, ...(typeof org === 'string' && { orgId: org }) }
        const rows = await streamUsers(connections.orm.em.fork(), where)
        const data = rows.map(({ id, orgId, name, createdAt }) => ({
          id,
          orgId: orgId ?? null,
          name,
          createdAt: createdAt.toISOString(),
        }))
        const lines = data.map((row) => `${row.id}  ${row.orgId ?? 'all organizations'}  ${row.createdAt}  ${row.name}`)
        return { data, text: lines.join('\n') || `There is no ${kind}.` }
      }),
  }
}

function revokeCommand(kind: StreamUserKind): Command {
  const usage = `tidemark ${kind} revoke ${kind.toUpperCase()}_ID`
  return {
    name: `${kind} revoke`,
    summary: `Cut off ${article(kind)}, at once`,
    usage,
    positionals: 1,
    options: {},
    about: { [`${kind.toUpperCase()}_ID`]: `As ${kind} list shows it` },
    run: async ({ positionals }) => {
      const id = required({ usage }, positionals[0], `${kind.toUpperCase()}_ID`)
      return withInstance(async ({ connections, applyStreamUsers }) => {
        const now = new Date(connections.clock.now())
        await connections.orm.em.fork().transactional(async (tx) => {
          const { orgId, name } = await revokeStreamUser(tx, kind, id, now)
          const detail = { streamUserID: id, name }
          await recordOfOperator(tx, { type: 'stream_user_revoked', orgId: orgId ?? '', detail }, now)
        })
        const isApplied = await applyStreamUsers()
        const text = `${kind} ${id} is revoked.`
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
  summary: 'Print the accounts of all users of NATS, for the configuration of a server of your own',
  usage: 'tidemark nats accounts',
  options: {},
  about: {},
  run: async () =>
    withInstance(async ({ connections }) => {
      const text = userAccountsText(await streamUsers(connections.orm.em.fork()))
      return { data: { accounts: text }, text: text.trimEnd() }
    }),
}
