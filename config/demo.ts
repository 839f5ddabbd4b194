/** The demo organization: accounts of the simulated cloud, connected and looked through as real ones are, and a year of their bills, all through the streams. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { randomUUID } from 'node:crypto'
import { CloudAccount } from '#actors/account/entity.ts'
import { Refresh } from '#actors/refresh/entity.ts'
import { isLive } from '#actors/refresh/actor.ts'
import { uuidOf } from '#engine/id.ts'
import type { Event } from '#engine/publisher.ts'
import { createOrganization, createToken } from '#http/identity/pat.ts'
import { Organization } from '#http/identity/entity.ts'
import { accountConnected, accountVerified } from '#streams/account.ts'
import { billingDayClosed, billingLine } from '#streams/billing.ts'
import type { CloudAccount as Connected, DiscoveredResource } from '#streams/cloud/connector.ts'
import { metricSample } from '#streams/metric.ts'
import { refreshRequested } from '#streams/refresh.ts'
import { tokens } from '#config/container.ts'
import { Sender, settled } from '#config/ingest.ts'
import type { Progress } from '#config/progress.ts'
import type { Running } from '#config/product.ts'

export interface Demo {
  orgId: string
  token: string
  /** Set once everything has been published: until then the next start takes it up again. */
  isLoaded: boolean
}

const daysOfBills = 365
const daysOfMetrics = 14
const dayMs = 86_400_000

const fileOf = (dataDir: string): string => path.join(dataDir, 'demo.json')

export const keptDemo = (dataDir: string): Demo | undefined =>
  existsSync(fileOf(dataDir)) ? (JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as Demo) : undefined

/** Makes the demo organization on a data folder without organizations, and finishes one whose load was interrupted. */
export async function loadDemo(running: Running, progress: Progress): Promise<Demo | undefined> {
  const { connections } = running
  const { dataDir } = connections.settings
  const kept = keptDemo(dataDir)
  if (kept?.isLoaded) return kept
  if (!kept && (await connections.orm.em.fork().count(Organization, {})) > 0) return undefined
  const demo = kept ?? (await create(running))
  keep(dataDir, demo)
  const accounts = await connectAccounts(running, demo, progress)
  await discover(running, demo, accounts, progress)
  await publishHistory(running, demo, accounts, progress)
  demo.isLoaded = true
  keep(dataDir, demo)
  return demo
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
      await asker.ask(accountConnected, orgId, data).catch(ignoreExisting)
      await asker.ask(accountVerified, orgId, { id, verdict: 'read_write', missingPermissions: [], message: null })
    }
    accounts.push({ id, orgId, provider, externalId, name, regions: [...regions], credentials: null })
  }
  return accounts
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
  await product.get(tokens.asker).ask(refreshRequested, orgId, { refreshId: randomUUID(), accounts: targets })
  for (;;) {
    const refresh = await connections.orm.em.fork().findOne(Refresh, { orgId })
    if (refresh && !isLive(refresh.status)) return
    progress.step(`discovering the simulated cloud: ${refresh?.discovered ?? 0} resources`)
    await connections.clock.sleep(100)
  }
}

/** Bills newest month first, so that the present is there before the past. */
async function publishHistory(
  { product, connections }: Running,
  { orgId }: Demo,
  accounts: Connected[],
  progress: Progress,
): Promise<void> {
  const cloud = product.get(tokens.cloud)
  const sender = new Sender(product.get(tokens.publisher))
  const now = connections.clock.now()
  let sent = 0
  for (const account of accounts) {
    const add = async (events: Event[]) => {
      for (const event of events) await sender.add(event)
      sent += events.length
      progress.step(`publishing the bills and metrics of ${account.name}: ${sent} events`)
    }
    for (const lines of batches(daysOfBills, 30)) {
      const [from, to] = [day(now - lines.from * dayMs), day(now - lines.to * dayMs)]
      for await (const page of cloud.bill(account, from, to)) {
        await add(
          page.map(
            (line) =>
              ({ subject: billingLine, orgId, data: { ...line, cloudAccountId: account.id } }) as unknown as Event,
          ),
        )
      }
    }
    await add([
      {
        subject: billingDayClosed,
        orgId,
        data: { cloudAccountId: account.id, date: day(now - dayMs) },
      } as unknown as Event,
    ])
    const resources: DiscoveredResource[] = []
    for await (const page of cloud.discover(account).pages) resources.push(...page)
    const since = new Date(Math.floor((now - daysOfMetrics * dayMs) / 3_600_000) * 3_600_000)
    for await (const data of cloud.measure(account, resources, since, new Date(now))) {
      await add([{ subject: metricSample, orgId, place: account.id, data } as unknown as Event])
    }
  }
  await sender.end()
  await settled(connections, orgId, sender.lanes, (left) => progress.step(`adding up the days; ${left} left`))
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Ranges of days ago, newest first: yesterday back to `count` days ago, `size` days each. */
function* batches(count: number, size: number): Generator<{ from: number; to: number }> {
  for (let to = 1; to <= count; to += size) yield { from: Math.min(to + size - 1, count), to }
}
