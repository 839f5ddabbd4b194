/**
 * The demo organization: accounts of the simulated cloud that are connected, scanned, billed and evaluated by the same
 * messages and jobs as real ones.
 */
import { dayMs, dayOf } from '#engine/value/day.ts'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { randomUUID } from 'node:crypto'
import { CloudAccount } from '#actors/account/entity.ts'
import { runJobs } from '#actors/job/drive.ts'
import { Refresh } from '#actors/refresh/entity.ts'
import { isLive } from '#actors/refresh/actor.ts'
import type { Static } from '#engine/value/schema.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { addStreamUser } from '#http/identity/token/stream-user.ts'
import { Organization } from '#http/identity/entity.ts'
import { accountConnected, accountVerified } from '#streams/account/messages.ts'
import { billingSyncRequested } from '#streams/billing/sync.ts'
import { billedByPayer } from '#streams/cloud/simulated/bill/payer.ts'
import { refreshRequested } from '#streams/refresh.ts'
import { placing } from '#http/identity/organization/place.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { natsAddress, type Connections } from '#config/state/connect.ts'
import { addressWith, newPassword } from '#config/embedded/nats-accounts.ts'
import { applyStreamUsers, type SetUsers } from '#config/state/stream-users.ts'
import type { Progress } from '#config/process/progress.ts'
import type { Running } from '#config/product/product.ts'
import { demoAccountId } from '#config/demo/cloud/account.ts'
import { makeAdvice } from '#config/demo/cloud/recommendations.ts'
import { askAsAgent } from '#config/demo/people/agent.ts'
import { makeControl } from '#config/demo/automation/start-stop.ts'
import { makeUsage } from '#config/demo/cloud/kubernetes.ts'
import { makeOwner, ownerLink } from '#config/demo/people/owner.ts'
import { makePast } from '#config/demo/cloud/history.ts'
import { makeRates } from '#config/demo/people/exchange-rate.ts'
import { makeExportSchedule } from '#config/demo/people/export.ts'
import { makeNotifications } from '#config/demo/people/notification.ts'
import { makeTagging } from '#config/demo/people/tagging.ts'
import { makeProvisioning } from '#config/demo/automation/provisioning.ts'
import { makeScaling } from '#config/demo/automation/scaling.ts'
import { makeSaving, proveSaving } from '#config/demo/cloud/saving.ts'
import { makeSavedView } from '#config/demo/people/saved-view.ts'
import { makeUnitMetric } from '#config/demo/people/unit-metric.ts'
import { makeSource } from '#config/demo/automation/source.ts'
import { makeWorkflow } from '#config/demo/automation/workflow.ts'
import { patiently } from '#config/demo/retry.ts'

interface Producer {
  id: string
  password: string
}

/** Contents of `demo.json` in the data folder. */
interface DemoKept {
  orgId: string
  token: string
  /** The demo's NATS user; missing in folders from earlier versions. */
  producer?: Producer
  /** For ClickHouse as an analyst; missing in folders from earlier versions. */
  analystToken?: string
  /** True once everything has been published; until then the next start continues. */
  isLoaded: boolean
  /**
   * True once the schedule and the action have been created; what people delete afterwards stays deleted. The flags
   * below work the same way; folders from earlier versions lack them.
   */
  isControlled?: boolean
  /** Channel and budget. */
  isTelling?: boolean
  /** Teams, policies and accepted tags. */
  isTagged?: boolean
  /** Metrics, and the recommendations found from them. */
  isAdvised?: boolean
  /** The workflow that waits for an approval. */
  isPlanned?: boolean
  /** The scaling policy and plan. */
  isScaled?: boolean
  /** Provisioned resources. */
  isProvisioned?: boolean
  /** Builds. */
  isBuilt?: boolean
  /** Usage of the clusters. */
  isUsed?: boolean
  /** Recommendations and actions from before the first scan. */
  isPast?: boolean
  /** Earlier stops. Below: savings verified against the bills. */
  isSaved?: boolean
  isProved?: boolean
  /** The owner, a person. */
  isOwned?: boolean
  /** The saved view. */
  isViewed?: boolean
  /** The unit metric. */
  isCounted?: boolean
  /** Exchange rates. Below: the scheduled export. */
  isConverted?: boolean
  isExported?: boolean
  /** The requests of the agent. */
  isAsked?: boolean
}

/** Flags of steps that run once. */
type Flag = Exclude<Extract<keyof DemoKept, `is${string}`>, 'isLoaded'>

export interface Demo extends DemoKept {
  /** NATS address of its producer, with user and password. */
  nats: string
  /** A link that signs the owner in once; undefined if the owner was removed. */
  console?: string | undefined
}

/** Days of bills that are in the reports when the demo is first shown. */
const recentDays = 31
/** Days of bills that are needed to verify the savings: they begin before the first saving. */
const provedDays = 75

const fileOf = (dataDir: string): string => path.join(dataDir, 'demo.json')

export const keptDemo = (dataDir: string): DemoKept | undefined =>
  existsSync(fileOf(dataDir)) ? (JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as DemoKept) : undefined

/**
 * Creates the demo organization if the data folder has no organizations, or continues an interrupted load. Undefined if
 * there are other organizations. Resolves when the newest month is in the reports. `rest` does the remaining steps: it
 * creates what people would have created, fetches metrics, finds and verifies savings, waits for the bills of the year
 * before, and detects anomalies.
 */
export async function loadDemo(
  running: Running,
  progress: Progress,
): Promise<{ demo: Demo; rest: () => Promise<void> } | undefined> {
  const { connections } = running
  const { dataDir } = connections.settings
  const kept = keptDemo(dataDir)
  if (!kept && (await connections.orm.em.fork().count(Organization, {})) > 0) return undefined
  const demo = await withCredentials(running, kept ?? (await create(running)))
  keep(dataDir, demo)
  const once = async (flag: Flag, make: () => Promise<void>) => {
    if (demo[flag]) return
    await make()
    demo[flag] = true
    keep(dataDir, demo)
  }
  const { orgId } = demo
  await once('isOwned', () => makeOwner(running, orgId))
  demo.console = await ownerLink(running, orgId)
  const use = async () => {
    await once('isControlled', () => makeControl(running, orgId))
    await once('isTelling', () => makeNotifications(running, orgId))
    await once('isViewed', () => makeSavedView(running, orgId))
    await once('isCounted', () => makeUnitMetric(running, orgId))
    await once('isTagged', () => makeTagging(running, orgId, progress))
    // Before the recommendations, which also use it.
    await once('isUsed', () => makeUsage(running, orgId))
    await once('isAdvised', () => makeAdvice(running, orgId, progress))
    await once('isPlanned', () => makeWorkflow(running, orgId))
    await once('isScaled', () => makeScaling(running, orgId))
    await once('isProvisioned', () => makeProvisioning(running, orgId))
    await once('isBuilt', () => makeSource(running, orgId))
    await once('isSaved', () => makeSaving(running, orgId))
    await once('isProved', async () => {
      await waitForBills(running, demo, dayOf(connections.clock.now() - provedDays * dayMs), progress)
      await proveSaving(running, orgId, progress)
    })
    await once('isConverted', () => makeRates(running, orgId))
    await once('isExported', () => makeExportSchedule(running, orgId))
    await once('isAsked', () => askAsAgent(running, orgId))
  }
  if (demo.isLoaded) return { demo, rest: use }
  progress.done('Loading the demo organization; this takes one to three minutes ...')
  const accounts = await connectAccounts(running, demo, progress)
  await once('isPast', () => makePast(running, orgId))
  await discover(running, demo, accounts, progress)
  const since = new Date(connections.clock.now() - recentDays * dayMs).toISOString().slice(0, 10)
  await waitForBills(running, demo, since, progress)
  const rest = async () => {
    await use()
    await waitForBills(running, demo, '', progress)
    await judge(running, demo, progress)
    demo.isLoaded = true
    keep(dataDir, demo)
  }
  return { demo, rest }
}

/** Days for which anomalies are detected, so that the stories of the simulated cloud are found. */
const judgedDays = 30

/** Oldest first: each day is compared with what was found before. */
async function judge({ connections: { clock }, product }: Running, { orgId }: Demo, progress: Progress): Promise<void> {
  const tools = { reads: product.get(tokens.reads), clock, asker: product.get(tokens.asker) }
  for (let ago = judgedDays; ago >= 1; ago--) {
    const date = new Date(clock.now() - ago * dayMs).toISOString().slice(0, 10)
    progress.step(`detecting anomalies on ${date}`)
    await runJobs(tools, 'anomaly-detection', { orgId, date })
  }
  await runJobs(tools, 'budget-evaluation', { orgId })
}

/** Without the addresses: the port may change, and the link works only once. */
const keep = (dataDir: string, demo: Demo): void =>
  writeFileSync(fileOf(dataDir), JSON.stringify({ ...demo, nats: undefined, console: undefined }), { mode: 0o600 })

/**
 * Adds the credentials that users of the demo need, also in folders from earlier versions. The password stays the same;
 * the port may change.
 */
async function withCredentials(running: Running, demo: DemoKept): Promise<Demo> {
  const { connections, stores } = running
  const servers = natsAddress(stores.nats.url)
  const { producer = await createProducer(connections, demo.orgId, stores.nats.setUsers) } = demo
  const { analystToken: token = await analystToken(running, demo.orgId) } = demo
  return { ...demo, producer, analystToken: token, nats: addressWith(servers, producer.id, producer.password) }
}

async function createProducer(connections: Connections, orgId: string, setUsers: SetUsers): Promise<Producer> {
  const { password, hash } = newPassword()
  const request = { kind: 'producer', orgId, name: 'demo', hash } as const
  const { id } = await addStreamUser(connections.orm.em.fork(), request, new Date(connections.clock.now()))
  await applyStreamUsers(connections, setUsers)
  return { id, password }
}

async function create(running: Running): Promise<DemoKept> {
  const { connections } = running
  const em = connections.orm.em.fork()
  const { id } = await createOrganization(em, 'Demo (simulated cloud)', { place: placing(connections) })
  const { secret } = await createToken(em, id, { role: 'owner', name: 'demo' })
  return { orgId: id, token: secret, analystToken: await analystToken(running, id), isLoaded: false }
}

async function analystToken({ connections }: Running, orgId: string): Promise<string> {
  const em = connections.orm.em.fork()
  const { secret } = await createToken(em, orgId, { role: 'owner', name: 'demo analyst', scope: 'analyst' })
  return secret
}

type Target = Static<typeof refreshRequested.schema>['accounts'][number]

async function connectAccounts(running: Running, { orgId }: Demo, progress: Progress): Promise<Target[]> {
  const { product, connections } = running
  const cloud = product.get(tokens.clouds).simulated
  const asker = product.get(tokens.asker)
  const targets: Target[] = []
  for (const { provider, externalId, name, payer } of cloud.consolidated) {
    const id = await demoAccountId(running, orgId, { provider, externalId })
    progress.step(`connecting ${name}`)
    if (!(await connections.orm.em.fork().findOne(CloudAccount, { orgId, id, status: 'connected' }))) {
      const billingExport = payer === undefined ? null : { kind: billedByPayer, location: payer }
      const data = { id, name, provider, externalId, credentials: null, regions: [], billingExport }
      await patiently(() => asker.ask(accountConnected, orgId, data).catch(ignoreExisting))
      const verified = { id, verdict: 'read_write' as const, missingPermissions: [], message: null }
      await patiently(() => asker.ask(accountVerified, orgId, verified))
    }
    // A sync in progress is not started twice, and one that was given up continues.
    const run = { cloudAccountId: id, provider, runId: randomUUID(), check: false }
    await patiently(() => asker.ask(billingSyncRequested, orgId, run))
    targets.push({ cloudAccountId: id, provider })
  }
  return targets
}

/** An interrupted load has already connected some accounts. */
function ignoreExisting(error: unknown): void {
  if ((error as { code?: string }).code !== 'already_exists') throw error
}

async function discover(
  { product, connections }: Running,
  { orgId }: Demo,
  accounts: Target[],
  progress: Progress,
): Promise<void> {
  const asker = product.get(tokens.asker)
  await patiently(() => asker.ask(refreshRequested, orgId, { refreshId: randomUUID(), accounts }))
  for (;;) {
    const refresh = await connections.orm.em.fork().findOne(Refresh, { orgId })
    if (refresh && !isLive(refresh.status)) return
    progress.step(`discovering the simulated cloud: ${refresh?.discovered ?? 0} resources`)
    await connections.clock.sleep(100)
  }
}

/**
 * Connecting the accounts started their first sync, newest month first, so that current data comes before the past.
 * Resolves when the days from `since` on have been read and aggregated; all days if `since` is empty.
 */
async function waitForBills(
  { product, connections }: Running,
  { orgId }: Demo,
  since: string,
  progress: Progress,
): Promise<void> {
  const { store, clock } = connections
  const own = product.get(tokens.clouds).simulated.consolidated.map(({ externalId }) => externalId)
  for (;;) {
    const { rows } = await store.pool.query<{ reading: number; months: number; marks: number }>(billedSql, [
      orgId,
      since.slice(0, 7),
      since,
      own,
    ])
    const { reading, months, marks } = rows[0]!
    if (reading === 0 && marks === 0) return
    progress.step(`reading the bills of the simulated cloud: ${months} months; ${marks} days to aggregate`)
    await clock.sleep(100)
  }
}

/**
 * The number of the demo's own accounts with a month from the given one on still to be read (bills of accounts with a
 * producer are not read), the months that have been read, and the days still to be aggregated.
 */
const billedSql = `
  select
    (select count(*) from cloud_account a left join billing_sync b on b.org_id = a.org_id and b.cloud_account_id = a.id
      where a.org_id = $1 and a.external_id = any($4) and a.status <> 'deleted' and (b.run_id is null or (b.run_id <> '' and b.next_month >= $2)))::int as reading,
    (select coalesce(sum(months_backfilled), 0) from billing_sync where org_id = $1)::int as months,
    (select count(*) from mark where org_id = $1 and right(key, 10) >= $3)::int as marks`
