/** Who may connect to NATS beside the service: one noun a kind, three commands each. */
import { addStreamUser, revokeStreamUser, streamUsers } from '#http/identity/token/stream-user.ts'
import { isOfOrganization, rightsOf, streamUserKinds, type StreamUserKind } from '#streams/stream-user.ts'
import { orgCommand, storeCommand } from '#config/command/line/build.ts'
import type { Command, Result } from '#config/command/line/command.ts'
import { organizationFilter } from '#config/command/line/engine.ts'
import { argument, onlyOrg, optional, org } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import { recordOfOperator } from '#config/command/line/operator.ts'
import { addressWith, newPassword, streamDomain, userAccountsText } from '#config/embedded/nats-accounts.ts'
import type { Instance } from '#config/product/instance.ts'

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

/** `orgId`: null for kinds of users that serve all organizations. */
async function create(
  { connections, natsUrl, applyStreamUsers }: Instance,
  kind: StreamUserKind,
  orgId: string | null,
  name: string,
): Promise<Result> {
  const { password, hash } = newPassword()
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
}

function createCommand(kind: StreamUserKind): Command {
  const summary = `Create ${article(kind)}, which ${about[kind]}; its password is shown only once`
  const takes = { name: optional('NAME', 'Name; default "command line"') }
  if (!isOfOrganization(kind))
    return storeCommand({
      name: `${kind} create`,
      summary,
      takes,
      run: (instance, { name = 'command line' }) => create(instance, kind, null, name),
    })
  return orgCommand({
    name: `${kind} create`,
    summary,
    takes: { org, ...takes },
    run: (instance, orgId, { name = 'command line' }) => create(instance, kind, orgId, name),
  })
}

const show = ({ id, orgId, name, createdAt }: Awaited<ReturnType<typeof streamUsers>>[number]) => ({
  id,
  orgId: orgId ?? null,
  name,
  createdAt: createdAt.toISOString(),
})

const listCommand = (kind: StreamUserKind): Command =>
  storeCommand({
    name: `${kind} list`,
    summary: `List ${kind}s`,
    takes: isOfOrganization(kind) ? { org: onlyOrg } : {},
    run: async (instance, { org: named }: { org?: string | undefined }) => {
      const orgId = await organizationFilter(instance, named)
      const rows = await streamUsers(instance.connections.orm.em.fork(), {
        kind,
        ...(orgId !== undefined && { orgId }),
      })
      const list = listOf<ReturnType<typeof show>>(
        { ID: 'id', ORGANIZATION: ({ orgId: of }) => of ?? 'all', CREATED: 'createdAt', NAME: 'name' },
        `No ${kind}s.`,
      )
      return list(rows.map(show))
    },
  })

const revokeCommand = (kind: StreamUserKind): Command =>
  storeCommand({
    name: `${kind} revoke`,
    summary: `Revoke ${article(kind)} immediately`,
    takes: { id: argument(`${kind.toUpperCase()}_ID`, `ID from "${kind} list"`) },
    run: async ({ connections, applyStreamUsers }, { id }) => {
      const now = new Date(connections.clock.now())
      await connections.orm.em.fork().transactional(async (tx) => {
        const { orgId, name } = await revokeStreamUser(tx, kind, id, now)
        const detail = { streamUserID: id, name }
        await recordOfOperator(tx, { type: 'stream_user_revoked', orgId: orgId ?? '', detail }, now)
      })
      const isApplied = await applyStreamUsers()
      const text = `${kind} ${id} was revoked.`
      return { data: { id }, text: isApplied ? text : `${text} ${toServer}` }
    },
  })

export const streamUserCommands: readonly Command[] = streamUserKinds.flatMap((kind) => [
  createCommand(kind),
  listCommand(kind),
  revokeCommand(kind),
])

/** For servers of the operator's own: the embedded one is told by itself. */
export const natsAccounts = storeCommand({
  name: 'nats accounts',
  summary: 'Print the NATS accounts configuration for your own NATS server',
  takes: {},
  run: async ({ connections }) => {
    const text = userAccountsText(await streamUsers(connections.orm.em.fork()))
    return { data: { accounts: text }, text: text.trimEnd() }
  },
})
