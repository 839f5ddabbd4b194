/**
 * Recommendations and actions of the demo organization from before its creation. They are published as scans, a sweep
 * and people would have done on those days, so that their savings are found, counted and verified as in any other
 * organization.
 */
import { addDays, days, startOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Event } from '#engine/run/publisher.ts'
import type { Static } from '#engine/value/schema.ts'
import { demoAccountId } from './account.ts'
import { patiently } from '#config/demo/retry.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { doneDaysAgo } from '#streams/cloud/simulated/world/stories/realized-savings.ts'
import { factsGathered, recommendationDecided } from '#streams/recommendation.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'

interface Advice {
  account: string
  name: string
  rule: string
  daysAgo: number
  /** Hour of the day (UTC) when the account was scanned. */
  scanHour: number
  /** What the sweep on the day before knew: metrics of 14 days and the bill of 30. */
  facts: Static<typeof factsGathered.schema>['facts']
}

const advices: readonly Advice[] = [
  {
    account: 'sim-aws-production',
    name: 'invoice-render-1',
    rule: 'RC-1101',
    daysAgo: doneDaysAgo.resized,
    scanHour: 10,
    facts: {
      'metric.cpu_percent.p99.14d': 21,
      'metric.cpu_percent.max.14d': 31,
      'metric.memory_percent.p99.14d': 34,
      'bill.cost_30d': 276.48,
      'bill.cost_basis': 'billed',
      'bill.usage_hours_30d': 720,
    },
  },
  {
    account: 'sim-aws-staging',
    name: 'night-report-1',
    rule: 'RC-1001',
    daysAgo: doneDaysAgo.stoppedForIdling,
    // The machine worked from midnight to six.
    scanHour: 4,
    facts: {
      'metric.cpu_percent.p99.14d': 2.2,
      'metric.cpu_percent.max.14d': 2.4,
      'metric.network_bytes_in.sum.14d': 2_100_000,
      'metric.network_bytes_out.sum.14d': 900_000,
      'bill.cost_30d': 69.12,
      'bill.cost_basis': 'billed',
      'bill.usage_hours_30d': 180,
    },
  },
]

/** Days of scans before the change. */
const daysBefore = 5

/** The accounts must be connected but not yet scanned: today's scan must be newer than all of this. */
export async function makePast(running: Running, orgId: string): Promise<void> {
  await Promise.all(advices.map((advice) => follow(running, orgId, advice)))
}

/** A rule finds the recommendation, a person applies it, and later scans see the change. */
async function follow(running: Running, orgId: string, advice: Advice): Promise<void> {
  const machine = await machineOf(running, orgId, advice)
  if (!machine) return
  const { connections, product } = running
  const { today, uid, id: cloudAccountId } = machine
  const [publisher, asker] = [product.get(tokens.publisher), product.get(tokens.asker)]
  const done = addDays(today, -advice.daysAgo)
  const tell = async (events: Event[]) => {
    const [first, ...rest] = events
    if (first) await publisher.publishTogether(uuidOf('demo', orgId, 'past', uid, String(first.time)), [first, ...rest])
  }
  await tell(machine.scans(addDays(done, -daysBefore), addDays(done, -1)))
  await publisher.publish(swept(orgId, cloudAccountId, uid, advice, addDays(done, -1)))
  const of = [orgId, cloudAccountId, uid]
  const found = () => connections.store.rows<{ id: string }>(foundSql, [...of, advice.rule]).then(([row]) => row?.id)
  const recommendationId = await shortly(running, found)
  if (recommendationId === undefined) return
  const word = { recommendationId, status: 'applied' as const, userId: 'demo', appliedAt: `${done}T00:00:00.000Z` }
  const decided = uuidOf('demo', orgId, 'applied', recommendationId)
  await patiently(() => asker.ask(recommendationDecided, orgId, { cloudAccountId, ...word }, decided)).catch(ignoreDone)
  // The saving's baseline is what is known of the machine when the saving begins, so wait for it before publishing
  // newer scans.
  await shortly(running, () => connections.store.rows(claimedSql, of).then(([row]) => row))
  await tell(machine.scans(done, addDays(today, -1)))
}

const foundSql = `
  select id from recommendation where org_id = $1 and cloud_account_id = $2 and resource_uid = $3 and rule_id = $4`
const claimedSql = `
  select 1 from saving where org_id = $1 and cloud_account_id = $2 and uid = $3 and claims <> '[]'`

/**
 * A machine of the simulated cloud, and a function that returns the events of its scans on the days from `from` to
 * `to`.
 */
async function machineOf(running: Running, orgId: string, { account, name, scanHour }: Advice) {
  const { product, connections } = running
  const cloud = product.get(tokens.clouds).simulated
  const sim = cloud.accounts.find(({ externalId }) => externalId === account)
  const uid = cloud.world.resources.get(account)?.find((resource) => resource.name === name)?.uid
  if (!sim || uid === undefined) return undefined
  const id = await demoAccountId(running, orgId, sim)
  const place = { ...sim, id, orgId, regions: [], credentials: null }
  const scan = (day: string): Event[] => {
    const time = new Date(startOf(day) + scanHour * 3_600_000)
    if (time.getTime() > connections.clock.now()) return []
    return cloud.foundAt(place, [uid], time).map((found) => ({
      subject: resourceDiscovered,
      orgId,
      data: { ...found, cloudAccountId: id },
      id: uuidOf('demo', orgId, 'scan', uid, day),
      time,
    }))
  }
  const scans = (from: string, to: string): Event[] => [...days(from, to)].flatMap(scan)
  return { today: cloud.world.today, uid, id, scans }
}

function swept(orgId: string, cloudAccountId: string, resourceUid: string, { facts }: Advice, day: string): Event {
  const coverage = { '14d': 1 }
  const measure = { days: 90, stepSeconds: 3600, coverage }
  return {
    subject: factsGathered,
    orgId,
    data: {
      cloudAccountId,
      resourceUid,
      runId: `demo/${day}`,
      at: `${day}T12:00:00.000Z`,
      facts: { ...facts, 'res.managed': false },
      measured: { cpu_percent: measure, memory_percent: measure },
      orgSpendUsd: null,
    },
    id: uuidOf('demo', orgId, 'sweep', resourceUid, day),
  }
}

/** Tries, and below the milliseconds between them: what does not appear within five seconds is left out of the demo. */
const triesMax = 250
const pauseMs = 20

async function shortly<T>({ connections: { clock } }: Running, look: () => Promise<T | undefined>) {
  for (let n = 0; n < triesMax; n++) {
    const found = await look()
    if (found !== undefined) return found
    await clock.sleep(pauseMs)
  }
  return undefined
}

/** An interrupted load has already applied it. */
function ignoreDone(error: unknown): void {
  if (!(error instanceof Fault) || error.kind !== 'conflict') throw error
}
