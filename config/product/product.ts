/** Starts and stops everything this process does, in order. */
import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics } from 'prom-client'
import type { Reporter } from '#engine/reporter.ts'
import { tellRuleFaults } from '#actors/recommendation/audit/rule-fault.ts'
import { forgetSecurityEvents } from '#analytics/security/delete-old-events.ts'
import { dayMs } from '#engine/value/day.ts'
import { beginJobs } from '#actors/job/drive.ts'
import { sweep } from '#actors/export/folder.ts'
import { pruneIdentity } from '#http/identity/index.ts'
import { tellOfTokenEnds } from '#http/identity/token/token-end.ts'
import { findUnprovedOrganizations } from '#http/identity/provider/domain.ts'
import { serve, type Serving } from '#http/edge/serve.ts'
import { build } from '#config/wiring/container.ts'
import { sourceWarnings } from '#config/wiring/source-settings.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'
import { beginLaneProcesses } from '#config/upkeep/lane-processes.ts'
import { openAnalysts } from '#config/analyst/open-analysts.ts'
import { connect, type Connections } from '#config/state/connect.ts'
import { sweepDeadLettersRegularly } from '#config/upkeep/dead-letter.ts'
import type { Stores } from '#config/embedded/stores.ts'
import {
  measureBills,
  measureLaneProcesses,
  measureExports,
  measureUploads,
  measureDeliveries,
  measureProvisioning,
  measureReports,
  measureRules,
  measureWorkflows,
  serveMetrics,
} from '#config/wiring/metrics.ts'
import { diskPace, measureDisks, watchDisks } from '#config/state/disk.ts'
import { sendDiskEvent } from '#config/upkeep/disk-event.ts'
import { measureQueues, measureStores } from '#config/state/store-metric.ts'
import { measureOverlaps } from '#config/wiring/overlap-metric.ts'
import { patiently } from '#config/process/wait-for-stores.ts'
import { finishRotation } from '#config/upkeep/reseal.ts'
import { recomputeRegularly } from '#config/upkeep/recompute-days.ts'
import type { Settings } from '#config/settings/settings.ts'
import { protocol } from '#config/state/protocol.ts'
import { settleRegularly } from '#config/upkeep/merge-months.ts'
import { printsOf } from '#config/settings/shared-settings.ts'
import { consoleFiles } from '#config/process/console-files.ts'
import { version } from '#config/process/version.ts'
import { keepStreamUsers } from '#config/state/stream-users.ts'
import { sweepRegularly } from '#config/upkeep/sweep-bills.ts'
import { sweepRetentionRegularly } from '#config/upkeep/retention/sweep.ts'
import { tendTenantsRegularly } from '#config/tenant/tend-tenants.ts'

/** Milliseconds between deletions of expired identity rows and old exports. */
const pruneMs = 10 * 60_000
/** Milliseconds for each part to stop; embedded servers have ten seconds themselves. */
const stopMs = 15_000

export interface Running {
  stores: Stores
  connections: Connections
  product: Product
  /** Undefined if this process serves no HTTP. */
  url: string | undefined
  metricsUrl: string
  /** Address of ClickHouse for analysts; undefined if it is not served. */
  analystsUrl: string | undefined
  stop(): Promise<void>
}

/**
 * Runs on stores whose start has begun.
 * @throws Error in words for the operator: a folder in use, a port in use, a store that cannot be reached
 */
export async function startProduct(settings: Settings, report: Reporter, starting: Promise<Stores>): Promise<Running> {
  bundleWhileStarting(settings)
  const stores = await starting
  warnOfSettings(settings, stores, report)
  const undo: (() => Promise<unknown>)[] = [() => stores.stop()]
  const stop = async () => {
    for (const step of undo.splice(0).toReversed())
      await inTime(step()).catch((error: unknown) => report.warn({ err: error }, 'while stopping'))
  }
  try {
    const waiting = <T>(work: () => Promise<T>) => patiently(work, report, settings.storesWait * 1000)
    const connections = await waiting(() => connect(settings, urlsOf(stores), report))
    undo.push(() => connections.close())
    await waiting(() => connections.installation.join())
    const endWatch = connections.installation.watch()
    undo.push(endWatch)
    const endShards = connections.awayShards.watch()
    undo.push(async () => endShards())
    await waiting(() => knowUsers(stores, connections, undo))
    const { disks, log, clock } = connections
    const tell = sendDiskEvent.bind(undefined, { log, report, settings, clock })
    const endDisks = watchDisks(disks, report, clock, { ...diskPace, tell })
    undo.push(async () => endDisks())
    const product = build(connections)
    undo.push(async () => product.get(tokens.asker).close())
    if (settings.role !== 'edge') await beginEngine({ connections, product, undo, waiting })
    if (settings.role !== 'edge') {
      const endTending = tendTenantsRegularly(connections, product, stores.nats.setUsers)
      undo.push(async () => endTending())
    }
    await waiting(() => warnOfDomains(connections))
    await tidyRegularly({ connections, product, undo })
    const serving = settings.role === 'engine' ? undefined : await listen(settings, product, undo)
    const analystsUrl = serving && (await admitAnalysts({ connections, product, undo }, stores.clickhouse.url))
    measureDisks(product.get(tokens.meter).registry, connections.disks)
    // Event-loop delay, garbage collection, memory and open descriptors of this process.
    collectDefaultMetrics({ register: product.get(tokens.meter).registry })
    const metrics = await serveMetrics(product.get(tokens.meter).registry, settings.metricsHost, settings.metricsPort)
    undo.push(() => metrics.close())
    if (serving) product.site.publicUrl ||= serving.url
    // The first start generates the signing key; the first sign-in should not wait for it.
    if (serving) await waiting(() => product.get(tokens.identity).keys.published())
    const publicUrl = serving && product.site.publicUrl
    const { lanes } = settings
    const shared = { lanes, version: `${version} (${protocol})`, prints: printsOf(settings) }
    stores.publish({ url: serving?.url, publicUrl, metricsUrl: metrics.url, analystsUrl, ...shared })
    keepLaneProcesses({ connections, product, undo })
    return { stores, connections, product, url: serving?.url, metricsUrl: metrics.url, analystsUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Warns of settings that are valid but probably not intended. */
function warnOfSettings(settings: Settings, stores: Stores, report: Reporter): void {
  if (stores.isOfAnother) return
  if (settings.role !== 'all' && settings.credentialsKey === undefined)
    report.warn({}, 'CREDENTIALS_KEY is not set: secrets encrypted by another process cannot be decrypted here')
  for (const warning of sourceWarnings(settings)) report.warn({}, warning)
}

/** If a store has lost its data, the known users are not those of the other stores, so nothing is applied. */
async function knowUsers(stores: Stores, connections: Connections, undo: (() => Promise<unknown>)[]): Promise<void> {
  const { setUsers } = stores.nats
  const isOurs = connections.settings.role !== 'edge' || setUsers !== undefined
  if (!isOurs || connections.installation.misfits.length > 0) return
  const end = await keepStreamUsers(connections, setUsers)
  undo.push(async () => end())
}

/** Gives up waiting after `stopMs`; ending the process then loses nothing. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = sleep(stopMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`part of the process did not stop within ${stopMs / 1000} s`)
  })
  late.catch(() => {})
  return Promise.race([work, late]).finally(() => over.abort())
}

interface Parts {
  connections: Connections
  product: Product
  /** How to stop each part, in the order they were started. */
  undo: (() => Promise<unknown>)[]
}

async function beginEngine({
  connections,
  product,
  undo,
  waiting,
}: Parts & { waiting: <T>(work: () => Promise<T>) => Promise<T> }): Promise<void> {
  product.get(tokens.engine).start()
  undo.push(() => product.get(tokens.engine).drain())
  const isWhole = connections.installation.misfits.length === 0
  if (isWhole)
    await waiting(() => beginJobs({ reads: product.get(tokens.reads), publisher: product.get(tokens.publisher) }))
  measureBills(product.get(tokens.meter).registry, connections.store.pool)
  measureOverlaps(product.get(tokens.meter).registry, connections.shards, () => connections.clock.now())
  measureUploads(product.get(tokens.meter).registry, connections.store.pool, () => new Date(connections.clock.now()))
  measureExports(product.get(tokens.meter).registry, connections.store.pool, () => new Date(connections.clock.now()))
  measureWorkflows(product.get(tokens.meter).registry, connections.store.pool)
  measureProvisioning(product.get(tokens.meter).registry, connections.store.pool)
  measureDeliveries(product.get(tokens.meter).registry, connections.store.pool)
  measureReports(product.get(tokens.meter).registry, connections.store.pool, () => new Date(connections.clock.now()))
  measureRules(product.get(tokens.meter).registry)
  measureQueues(product.get(tokens.meter).registry, connections)
  measureStores(product.get(tokens.meter).registry, connections)
  tellRuleFaults((rule, err) =>
    connections.report.warn({ rule, err }, 'a rule failed; its recommendations are kept unchanged'),
  )
  const endSweep = sweepRegularly(connections)
  undo.push(async () => endSweep())
  const endSettling = settleRegularly(connections, product.get(tokens.meter).registry)
  undo.push(async () => endSettling())
  const endHandingOut = recomputeRegularly(connections)
  undo.push(async () => endHandingOut())
  const endLetters = sweepDeadLettersRegularly(connections, product.get(tokens.meter).registry)
  undo.push(async () => endLetters())
  const endRetention = sweepRetentionRegularly(connections, product.get(tokens.meter).registry)
  undo.push(async () => endRetention())
}

/** Called last: the lane processes find the stores by what this process has published. */
function keepLaneProcesses({ connections: { settings, report }, product, undo }: Parts): void {
  if (settings.role === 'edge' || settings.laneProcesses === 1) return
  const beside = beginLaneProcesses(settings, report)
  undo.push(() => beside.stop())
  measureLaneProcesses(product.get(tokens.meter).registry, beside)
}

/**
 * Earlier versions required no proof of domains. Warns about organizations whose members cannot sign in until there is
 * one.
 */
async function warnOfDomains({ orm, report }: Connections): Promise<void> {
  const orgIds = await findUnprovedOrganizations(orm.em.fork())
  if (orgIds.length > 0)
    report.warn(
      { orgIds },
      'these identity providers have no verified domain, so no one can sign in with them (tidemark saml domains)',
    )
}

async function tidyRegularly({ connections, product, undo }: Parts): Promise<void> {
  const { settings, clock, orm, report } = connections
  const sweepExports = () => sweep(product.get(tokens.exports).folder, new Date(clock.now()))
  if (settings.role !== 'engine') await sweepExports()
  const tidy = setInterval(() => {
    const now = new Date(clock.now())
    const keptFrom = new Date(now.getTime() - settings.securityEventsKeep * dayMs)
    pruneIdentity(orm.em.fork(), now, keptFrom)
      .then(() => connections.shards.each(({ client }) => forgetSecurityEvents(client, keptFrom)))
      .catch((error: unknown) => report.warn({ err: error }, 'expired identity rows could not be deleted'))
    tellOfTokenEnds(product.get(tokens.identity)).catch((error: unknown) =>
      report.warn({ err: error }, 'users could not be notified about expiring tokens'),
    )
    finishRotation(connections, product).catch((error: unknown) =>
      report.warn({ err: error }, 'secrets could not be encrypted with the newest key'),
    )
    sweepExports().catch((error: unknown) => report.warn({ err: error }, 'old exports could not be removed'))
  }, pruneMs)
  undo.push(async () => clearInterval(tidy))
}

/** A fault in a source of the console is thrown where the edge begins to listen. */
function bundleWhileStarting({ role }: Settings): void {
  if (role !== 'engine') consoleFiles().catch(() => {})
}

async function listen(settings: Settings, product: Product, undo: (() => Promise<unknown>)[]): Promise<Serving> {
  await consoleFiles()
  const serving = await serve(product.get(tokens.edge), { port: settings.port, host: settings.host })
  undo.push(() => serving.close())
  // Stopped before the connections, because a stream does not end by itself.
  undo.push(() => product.get(tokens.streams).close())
  return serving
}

async function admitAnalysts(parts: Parts, clickhouseUrl: string): Promise<string | undefined> {
  const gate = await openAnalysts(parts, clickhouseUrl)
  if (gate) parts.undo.push(() => gate.close())
  else
    parts.connections.report.warn(
      {},
      'CLICKHOUSE_ANALYSTS_URL is not set, so analyst access is disabled. `tidemark analyst rights` prints the SQL that creates its user',
    )
  return gate?.url
}

export const urlsOf = ({ postgres, nats, clickhouse }: Stores) => ({
  postgres: postgres.url,
  nats: nats.url,
  clickhouse: clickhouse.url,
  ...(clickhouse.embedded && { database: clickhouse.database }),
})
