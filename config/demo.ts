/** The demo organization: accounts of the simulated cloud, connected and looked through as real ones are, and a year of their bills, all through the streams. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { randomUUID } from 'node:crypto'
import { CloudAccount } from '#actors/account/entity.ts'
import { Refresh } from '#actors/refresh/entity.ts'
import { isLive } from '#actors/refresh/actor.ts'
import { Fault } from '#engine/fault.ts'
import { uuidOf } from '#engine/id.ts'
import type { Event } from '#engine/publisher.ts'
import { createOrganization } from '#http/identity/organization.ts'
import { createToken } from '#http/identity/pat.ts'
import { Organization } from '#http/identity/entity.ts'
import { accountConnected, accountVerified } from '#streams/account.ts'
import { billingDayClosed, billingLine } from '#streams/billing.ts'
import type { CloudAccount as Connected, DiscoveredResource } from '#streams/cloud/connector.ts'
import { metricSample } from '#streams/metric.ts'
import { refreshRequested } from '#streams/refresh.ts'
import { tokens } from '#config/tokens.ts'
import { Sender, settled } from '#config/ingest.ts'
import type { Progress } from '#config/progress.ts'
import type { Running } from '#config/product.ts'

export interface Demo {
  orgId: string
  token: string
  /** Set once everything has been published: until then the next start takes it up again. */
  isLoaded: boolean
}

const dayMs = 86_400_000

/** Days ago, both included, and days of metrics. */
interface Span {
  newest: number
  oldest: number
  metricDays: number
}
const recent: Span = { newest: 1, oldest: 31, metricDays: 0 }
const past: Span = { newest: 32, oldest: 365, metricDays: 14 }

const fileOf = (dataDir: string): string => path.join(dataDir, 'demo.json')

export const keptDemo = (dataDir: string): Demo | undefined =>
  existsSync(fileOf(dataDir)) ? (JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as Demo) : undefined

/**
 * Makes the demo organization on a data folder without organizations, or takes up one whose load was interrupted. Resolves
 * once the newest month is in the reports; `rest` publishes the year before it and two weeks of metrics.
 */
export async function loadDemo(
  running: Running,
  progress: Progress,
): Promise<{ demo: Demo; rest: () => Promise<void> } | undefined> {
  const { connections } = running
  const { dataDir } = connections.settings
  const kept = keptDemo(dataDir)
  if (kept?.isLoaded) return { demo: kept, rest: async () => {} }
  if (!kept && (await connections.orm.em.fork().count(Organization, {})) > 0) return undefined
  const demo = kept ?? (await create(running))
  keep(dataDir, demo)
  const accounts = await connectAccounts(running, demo, progress)
  await discover(running, demo, accounts, progress)
  await publishHistory(running, demo, accounts, progress, recent)
  const rest = async () => {
    await publishHistory(running, demo, accounts, progress, past)
    demo.isLoaded = true
    keep(dataDir, demo)
  }
  return { demo, rest }
}

const keep = (dataDir: string, demo: Demo): void =>
  writeFileSync(fileOf(dataDir), JSON.stringify(demo), { mode: 0o600 })

async function create({ connections }: Running): Promise<Demo> {
  const em = connections.orm.em.fork()
  const { id } = await createOrganization(em, 'Demo (simulated cloud)')
  const { secret } = await createToken(em, id, { role: 'owner', name: 'demo' })
  return { orgId: id, token: secret, isLoaded: false }
}

async function connectAccounts(
  { product, connections }: Running,
  { orgId }: Demo,
  progress: Progress,
): Promise<Connected[]> {
  const cloud = product.get(tokens.cloud)
  const asker = product.get(tokens.asker)
  const accounts: Connected[] = []
  for (const { provider, externalId, name, regions } of cloud.accounts) {
    const id = uuidOf('cloud-account', orgId, provider, externalId)
    progress.step(`connecting ${name}`)
    if (!(await connections.orm.em.fork().findOne(CloudAccount, { orgId, id, status: 'connected' }))) {
      const data = { id, name, provider, externalId, credentials: null, regions: [], billingExport: null }
      await patiently(() => asker.ask(accountConnected, orgId, data).catch(ignoreExisting))
      const verified = { id, verdict: 'read_write' as const, missingPermissions: [], message: null }
      await patiently(() => asker.ask(accountVerified, orgId, verified))
    }
    accounts.push({ id, orgId, provider, externalId, name, regions: [...regions], credentials: null })
  }
  return accounts
}

/** A load that was interrupted has left its events before us in the lanes: they may take longer than an answer may. */
async function patiently(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'transient') throw error
    }
  }
}

/** A load that was interrupted has connected some accounts already. */
function ignoreExisting(error: unknown): void {
  if ((error as { code?: string }).code !== 'already_exists') throw error
}

async function discover(
  { product, connections }: Running,
  { orgId }: Demo,
  accounts: Connected[],
  progress: Progress,
): Promise<void> {
  const targets = accounts.map(({ id, provider }) => ({ cloudAccountId: id, provider }))
  const asker = product.get(tokens.asker)
  await patiently(() => asker.ask(refreshRequested, orgId, { refreshId: randomUUID(), accounts: targets }))
  for (;;) {
    const refresh = await connections.orm.em.fork().findOne(Refresh, { orgId })
    if (refresh && !isLive(refresh.status)) return
    progress.step(`discovering the simulated cloud: ${refresh?.discovered ?? 0} resources`)
    await connections.clock.sleep(100)
  }
}

/** All accounts side by side; bills newest month first, so that the present is there before the past. */
async function publishHistory(
  running: Running,
  { orgId }: Demo,
  accounts: Connected[],
  progress: Progress,
  span: Span,
): Promise<void> {
  const { product, connections } = running
  let sent = 0
  const senders = await Promise.all(
    accounts.map(async (account) => {
      const sender = new Sender(product.get(tokens.publisher))
      for await (const events of history(running, orgId, account, span)) {
        for (const event of events) await sender.add(event)
        sent += events.length
        progress.step(
          `publishing ${span.newest === 1 ? 'the newest month' : 'the year before'} of the simulated cloud: ${sent} events`,
        )
      }
      await sender.end()
      return sender
    }),
  )
  const lanes = new Map<number, number>()
  for (const sender of senders)
    for (const [lane, seq] of sender.lanes) lanes.set(lane, Math.max(seq, lanes.get(lane) ?? 0))
  await settled(connections, orgId, lanes, (left) => progress.step(`adding up the days; ${left} left`))
}

async function* history(
  { product, connections }: Running,
  orgId: string,
  account: Connected,
  span: Span,
): AsyncGenerator<Event[]> {
  const cloud = product.get(tokens.cloud)
  const now = connections.clock.now()
  const event = (subject: unknown, data: object) => ({ subject, orgId, place: account.id, data }) as unknown as Event
  for (let newest = span.newest; newest <= span.oldest; newest += 31) {
    const oldest = Math.min(newest + 30, span.oldest)
    for await (const lines of cloud.bill(account, day(now - oldest * dayMs), day(now - newest * dayMs))) {
      yield lines.map((line) => event(billingLine, { ...line, cloudAccountId: account.id }))
    }
  }
  if (span.newest === 1) yield [event(billingDayClosed, { cloudAccountId: account.id, date: day(now - dayMs) })]
  if (span.metricDays === 0) return
  const resources: DiscoveredResource[] = []
  for await (const page of cloud.discover(account).pages) resources.push(...page)
  const since = new Date(Math.floor((now - span.metricDays * dayMs) / 3_600_000) * 3_600_000)
  for await (const data of cloud.measure(account, resources, since, new Date(now))) yield [event(metricSample, data)]
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
