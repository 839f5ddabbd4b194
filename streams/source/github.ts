/** Webhooks of GitHub, signed with HMAC-SHA256 of the body, and their relevant events (decisions G-26, G-97). */
import { createHmac } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import { decoder, t, type Static } from '#engine/value/schema.ts'
import {
  anyIs,
  branchOf,
  headerOf,
  isNoCommit,
  nothing,
  pushedAt,
  readAs,
  type InstalledRepository,
  type SourceEvent,
  type SourceReader,
} from '#streams/source/event.ts'
import { text } from '#streams/text.ts'

const eventHeaders = ['x-source-event', 'x-github-event'] as const
const deliveryHeaders = ['x-source-delivery', 'x-github-delivery'] as const

/** Only lower case is accepted. */
export const hmacShape = /^sha256=[0-9a-f]{64}$/

export const hmacHeader = (secret: string, raw: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

const sha = text({ pattern: '^[0-9a-f]{40,64}$' })
const url = text({ minLength: 1 })
const fullName = text({ minLength: 1, maxLength: 512 })

const By = t.Union([t.Object({ id: t.Integer({ minimum: 1 }) }), t.Null()])

/** The members that every push has. */
const Push = decoder(
  t.Object({
    ref: text({ minLength: 1, maxLength: 1100 }),
    after: sha,
    deleted: t.Optional(t.Boolean()),
    repository: t.Object({ clone_url: url, pushed_at: t.Optional(t.Unknown()) }),
    installation: t.Optional(By),
  }),
)
const Action = decoder(t.Object({ action: t.Optional(text({ maxLength: 64 })) }))
const PullRequest = decoder(
  t.Object({
    number: t.Optional(t.Integer({ minimum: 0 })),
    pull_request: t.Object({ head: t.Object({ sha }), number: t.Optional(t.Integer({ minimum: 0 })) }),
    repository: t.Object({ clone_url: url, full_name: t.Optional(fullName) }),
    installation: t.Optional(By),
  }),
)
const Repository = t.Object({ id: t.Integer({ minimum: 1 }), full_name: fullName })
const Installation = decoder(
  t.Object({
    installation: t.Object({
      id: t.Integer({ minimum: 1 }),
      account: t.Optional(t.Object({ login: text({ maxLength: 256 }), html_url: t.Optional(url) })),
    }),
    repositories: t.Optional(t.Array(Repository, { maxItems: 100_000 })),
    repositories_added: t.Optional(t.Array(Repository, { maxItems: 100_000 })),
    repositories_removed: t.Optional(t.Array(t.Object({ id: t.Integer({ minimum: 1 }) }), { maxItems: 100_000 })),
  }),
)

function pushOf(payload: unknown): SourceEvent {
  const { ref, after, deleted = false, repository, installation } = readAs(Push, payload)
  const branch = branchOf(ref)
  if (branch === undefined || deleted || isNoCommit(after)) return nothing
  const { clone_url: repositoryUrl, pushed_at: at } = repository
  // Not the commit's time: a branch may be pushed back to an older commit.
  const pushes = [{ ref, branch, commitSha: after, repositoryUrl, ...pushedAt(at) }]
  return { kind: 'push', pushes, ...by(installation) }
}

const by = (installation: Static<typeof By> | undefined): { installationId?: string } =>
  installation ? { installationId: String(installation.id) } : {}

const analysedActions: readonly (string | undefined)[] = ['opened', 'synchronize', 'reopened', undefined]

/** A payload with only the commit is accepted too. */
function pullRequestOf(payload: unknown): SourceEvent {
  if (!analysedActions.includes(readAs(Action, payload).action)) return nothing
  const { number, pull_request: own, repository, installation } = readAs(PullRequest, payload)
  const named = repository.full_name ?? nameIn(repository.clone_url)
  // It becomes part of an address for posting.
  if (!namesOne(named))
    throw Fault.invalidAt({ path: '/repository/full_name', code: 'format', message: 'must name a repository' })
  return {
    kind: 'pull-request',
    repositoryUrl: repository.clone_url,
    fullName: named,
    headSha: own.head.sha,
    number: number ?? own.number ?? 0,
    ...by(installation),
  }
}

const namesOne = (name: string): boolean => !name.split('/').some((part) => /^\.{0,2}$/.test(part))

/** `acme/shop` from `https://host/acme/shop.git`. */
const nameIn = (address: string): string =>
  (URL.canParse(address) ? new URL(address).pathname : address)
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
    .slice(-2)
    .join('/')

/** Actions of installations that change their repositories. */
const changes: Readonly<Record<string, 'set' | 'add-and-remove' | 'gone'>> = {
  'installation created': 'set',
  'installation deleted': 'gone',
  'installation_repositories added': 'add-and-remove',
  'installation_repositories removed': 'add-and-remove',
}

function installationOf(event: string, payload: unknown): SourceEvent {
  const change = changes[`${event} ${readAs(Action, payload).action}`]
  if (!change) return nothing
  const { installation, repositories = [], ...said } = readAs(Installation, payload)
  const origin = originOf(installation.account?.html_url)
  const shown = (one: Static<typeof Repository>): InstalledRepository => ({
    id: String(one.id),
    fullName: one.full_name,
    url: `${origin}/${one.full_name}`,
  })
  return {
    kind: 'installation',
    installationId: String(installation.id),
    account: installation.account?.login ?? '',
    change,
    added: (change === 'set' ? repositories : (said.repositories_added ?? [])).map(shown),
    removed: (said.repositories_removed ?? []).map(({ id }) => String(id)),
  }
}

const originOf = (address = ''): string => (URL.canParse(address) ? new URL(address).origin : 'https://github.com')

export const github: SourceReader = {
  host: 'github',
  isClaimed: (headers) => hmacShape.test(headerOf(headers, 'x-hub-signature-256') ?? ''),
  isSigned(headers, raw, secrets) {
    const given = headerOf(headers, 'x-hub-signature-256')
    return given !== undefined && hmacShape.test(given) && anyIs(secrets, given, (one) => hmacHeader(one, raw))
  },
  needed: [eventHeaders, deliveryHeaders],
  deliveryOf: (headers) => ({
    event: headerOf(headers, ...eventHeaders) ?? '',
    deliveryId: headerOf(headers, ...deliveryHeaders) ?? '',
  }),
  read(event, payload) {
    if (event === 'push') return pushOf(payload)
    if (event === 'pull_request') return pullRequestOf(payload)
    if (event === 'installation' || event === 'installation_repositories') return installationOf(event, payload)
    return nothing
  },
}
