/** The demo organization: accounts of the simulated cloud, connected, looked through and billed as real ones are, measured and looked at by the jobs that do it for real ones, all through the streams. */
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
import { makeNotifications } from '#config/demo/people/notification.ts'
import { makeTagging } from '#config/demo/people/tagging.ts'
import { makeProvisioning } from '#config/demo/automation/provisioning.ts'
import { makeScaling } from '#config/demo/automation/scaling.ts'
import { makeSaving, proveSaving } from '#config/demo/cloud/saving.ts'
import { makeSavedView } from '#config/demo/people/saved-view.ts'
import { makeSource } from '#config/demo/automation/source.ts'
import { makeWorkflow } from '#config/demo/automation/workflow.ts'
import { patiently } from '#config/demo/retry.ts'

interface Producer {
  id: string
  password: string
}

/** What the data folder keeps. */
interface DemoKept {
  orgId: string
  token: string
  /** Its user on the stream; folders of before have none. */
  producer?: Producer
  /** For the ClickHouse of analysts; not there yet in what an earlier version kept. */
  analystToken?: string
  /** Set once everything has been published: until then the next start takes it up again. */
  isLoaded: boolean
  /** Set once its schedule and its action have been made; folders of before have none, and what people take away then stays away. */
  isControlled?: boolean
  /** The same of its channel and its budget. */
  isTelling?: boolean
  /** The same of its teams, policies and accepted tags. */
  isTagged?: boolean
  /** The same of its metrics and of what is found by them. */
  isAdvised?: boolean
  /** What waits for an approval was begun. */
  isPlanned?: boolean
  /** The same of the policy and the plan of its fleet. */
  isScaled?: boolean
  /** The same of what is provisioned. */
  isProvisioned?: boolean
  /** The same of what is built. */
  isBuilt?: boolean
  /** The same of who used its clusters. */
  isUsed?: boolean
  /** What was recommended and done before its accounts were looked through first has been told. */
  isPast?: boolean
  /** The same of its stops of before, and of what bills prove of all that was saved. */
  isSaved?: boolean
  isProved?: boolean
  /** Its owner, a person, was made. */
  isOwned?: boolean
  /** The same of the view that it has saved. */
  isViewed?: boolean
  /** Its agent has asked. */
  isAsked?: boolean
}

/** What is made once. */
type Flag = Exclude<Extract<keyof DemoKept, `is${string}`>, 'isLoaded'>

export interface Demo extends DemoKept {
  /** Where its producer publishes, with user and password. */
  nats: string
  /** Signs its owner in, once; undefined where the owner was removed. */
  console?: string | undefined
}

/** Days of bills that are in the reports when the demo is first shown. */
const recentDays = 31
/** Days of bills that prove what was saved: from before the first of it on. */
const provedDays = 75

const fileOf = (dataDir: string): string => path.join(dataDir, 'demo.json')

export const keptDemo = (dataDir: string): DemoKept | undefined =>
  existsSync(fileOf(dataDir)) ? (JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as DemoKept) : undefined

/**
 * Makes the demo organization on a data folder without organizations, or takes up one whose load was interrupted. Resolves
 * once the newest month is in the reports; `rest` stops a machine, makes a schedule, a channel, teams and tags by rule, fetches
 * two weeks of metrics, looks for what could be saved, holds what was saved to the bills, lets an agent ask, waits for the year
 * before it, and looks for what people are told of.
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
    await once('isTagged', () => makeTagging(running, orgId, progress))
    // Who used its clusters is advised of too.
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

/** Days that are looked through for anomalies, so that the stories of the simulated cloud are told. */
const judgedDays = 30

/** Oldest first: each day is compared with what was found before it. */
async function judge({ connections: { clock }, product }: Running, { orgId }: Demo, progress: Progress): Promise<void> {
  const tools = { reads: product.get(tokens.reads), clock, asker: product.get(tokens.asker) }
  for (let ago = judgedDays; ago >= 1; ago--) {
    const date = new Date(clock.now() - ago * dayMs).toISOString().slice(0, 10)
    progress.step(`detecting anomalies on ${date}`)
    await runJobs(tools, 'anomaly-detection', { orgId, date })
  }
  await runJobs(tools, 'budget-evaluation', { orgId })
}

/** Without the addresses: the port may be another tomorrow, and a link is good once. */
const keep = (dataDir: string, demo: Demo): void =>
  writeFileSync(fileOf(dataDir), JSON.stringify({ ...demo, nats: undefined, console: undefined }), { mode: 0o600 })

/** What one in the demo needs to know, also on folders of before. The password is as long as the folder; the port may be another today. */
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
  const { id } = await createOrganization(em, 'Demo (simulated cloud)')
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
    // One that is under way is not doubled, and one that was given up goes on.
    const run = { cloudAccountId: id, provider, runId: randomUUID(), check: false }
    await patiently(() => asker.ask(billingSyncRequested, orgId, run))
    targets.push({ cloudAccountId: id, provider })
  }
  return targets
}

/** A load that was interrupted has connected some accounts already. */
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
 * Connecting the accounts has begun their first sync, newest month first, so that the present is there before the past.
 * Resolves once the days from `since` on have been read and added up; all of them when it is empty.
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
 * The demo's own accounts of which a month from the given one on is still to be read (nobody reads the bills of accounts that
 * producers feed), the months that have been read, and the days that wait to be added up.
 */
const billedSql = `
  select
    (select count(*) from cloud_account a left join billing_sync b on b.org_id = a.org_id and b.cloud_account_id = a.id
      where a.org_id = $1 and a.external_id = any($4) and a.status <> 'deleted' and (b.run_id is null or (b.run_id <> '' and b.next_month >= $2)))::int as reading,
    (select coalesce(sum(months_backfilled), 0) from billing_sync where org_id = $1)::int as months,
    (select count(*) from mark where org_id = $1 and right(key, 10) >= $3)::int as marks`
