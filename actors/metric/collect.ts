/**
 * The hourly job that fetches the metrics of an organization's accounts from their clouds and publishes them as a
 * producer would. Each account continues where it ended; for resources discovered since, the past is fetched as well.
 * Samples that are fetched again replace themselves.
 */
import { connectedAccounts } from '#actors/account/connection/cloud.ts'
import { mendable, noticingRefusal } from '#actors/account/connection/refusal.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import { dayMs, hourMs } from '#engine/value/day.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Event } from '#engine/run/publisher.ts'
import { Fault } from '#engine/value/fault.ts'
import { accountMetricsFailed } from '#streams/account/messages.ts'
import { cleanText } from '#streams/cloud/call/failure.ts'
import {
  isCredentialsRefused,
  isOfCloud,
  type CloudAccount,
  type MetricSamples,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import { metricCollected, metricSample } from '#streams/metric/messages.ts'

export type CollectTools = Pick<Tools, 'reads' | 'publisher' | 'cloudOf' | 'open' | 'now'>

/** Maximum days fetched the first time and after a pause. */
const backMaxDays = 14
/** Days of samples after which progress is recorded. */
const sliceDays = 7
/** Maximum resources in one request to a cloud. */
const pageMax = 500
/** Limits of one message: the server's limit is a megabyte. */
const eventsMax = 500
const bytesMax = 600_000

const throughSql = `
  select cloud_account_id as id, through from metric_collection where org_id = $1`

const resourcesSql = `
  select uid as "resourceUid", type, region, specs, instance_type as "instanceType", size_gb as "sizeGB" from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and uid > $3 and created_at >= $5 order by uid limit $4`

/** Milliseconds since 1970. */
interface Span {
  from: number
  to: number
  /** Only resources discovered at or after this time. */
  since: number
}

/**
 * Milliseconds. A resource counts as discovered when its scan began, so it may be unknown to a fetch that ended up to
 * this much later.
 */
const lateMs = hourMs

/**
 * If a cloud cannot be read now, all of it is requested in the next hour, except the past of resources discovered late.
 * It does not delay other accounts.
 */
export const metricCollectionJob =
  (tools: CollectTools): JobWork =>
  async (_, call) => {
    const to = Math.floor(tools.now().getTime() / hourMs) * hourMs
    const known = await tools.reads.rows<{ id: string; through: Date | null }>(throughSql, [call.orgId])
    const through = new Map(known.map((one) => [one.id, one.through]))
    for (const account of await connectedAccounts(tools, call.orgId)) {
      const { id } = account
      const of = { orgId: call.orgId, cloudAccountId: id, key: `${call.key}/${id}/${call.attempt}` }
      try {
        await noticingRefusal(tools, of, () => collect(tools, account, through.get(id) ?? null, to, call))
      } catch (error) {
        if (!isOfCloud(error)) throw error
        // Of refused credentials the account knows already.
        if (!isCredentialsRefused(error)) await tellAccount(tools, of, Fault.from(error))
      }
      call.signal.throwIfAborted()
    }
  }

async function tellAccount(
  { publisher }: CollectTools,
  { orgId, cloudAccountId, key }: { orgId: string; cloudAccountId: string; key: string },
  fault: Fault,
): Promise<void> {
  const data = { id: cloudAccountId, message: cleanText(mendable(fault), 2000) }
  await publisher.publish({ subject: accountMetricsFailed, orgId, data, id: `${key}/metrics-failed` })
}

async function collect(
  tools: CollectTools,
  account: CloudAccount,
  through: Date | null,
  to: number,
  call: EffectCall,
): Promise<void> {
  const earliest = to - backMaxDays * dayMs
  const until = Math.max(through?.getTime() ?? 0, earliest)
  // If this fails, the account continues all the same; the missed past is requested again only for an hour.
  const refused = await pastOf(tools, account, { from: earliest, to: until, since: until - lateMs }, call)
  let failed: unknown
  for (const span of slices({ from: until, to, since: 0 })) {
    const error = await collectSlice(tools, account, span, call, failed === undefined)
    failed ??= error
  }
  if ((failed ?? refused) !== undefined) throw failed ?? refused
}

/** Returns the cloud's error if it refuses. */
async function pastOf(tools: CollectTools, account: CloudAccount, span: Span, call: EffectCall): Promise<unknown> {
  try {
    for (const slice of slices(span)) {
      const failed = await collectSlice(tools, account, slice, call, true)
      if (failed !== undefined) return failed
    }
  } catch (error) {
    if (!isOfCloud(error)) throw error
    return error
  }
}

function* slices({ from, to, since }: Span): Generator<Span> {
  for (let at = from; at < to; at += sliceDays * dayMs)
    yield { from: at, to: Math.min(to, at + sliceDays * dayMs), since }
}

/**
 * Returns the first error of the cloud, if any. An error does not stop the other resources; the whole slice is fetched
 * again the next hour. The slice counts as collected only if it is the next one (`isNext`) and nothing failed.
 */
async function collectSlice(
  tools: CollectTools,
  account: CloudAccount,
  span: Span,
  call: EffectCall,
  isNext: boolean,
): Promise<unknown> {
  const askedAt = tools.now().toISOString()
  const fetched = new Map<string, Set<string>>()
  const outbox = new Outbox(tools, account, `${call.key}/${account.id}/${call.attempt}/${span.from}`)
  const failures: unknown[] = []
  for await (const page of pagesOf(tools, account, span.since)) {
    const typeOf = new Map(page.map(({ resourceUid, type }) => [resourceUid, type]))
    try {
      const samples = tools.cloudOf(account).measure(account, page, new Date(span.from), new Date(span.to))
      for await (const data of samples) {
        await outbox.add(data, span)
        note(fetched, typeOf.get(data.resourceUid) ?? '', data)
      }
    } catch (error) {
      if (!isOfCloud(error) || isCredentialsRefused(error)) throw error
      failures.push(error)
    }
    call.signal.throwIfAborted()
  }
  await outbox.end()
  if (failures.length > 0) return failures[0]
  if (!isNext || (span.since > 0 && fetched.size === 0)) return undefined
  await tools.publisher.publish({
    subject: metricCollected,
    orgId: account.orgId,
    data: {
      cloudAccountId: account.id,
      from: new Date(span.from).toISOString(),
      through: new Date(span.to).toISOString(),
      fetched: Object.fromEntries([...fetched].map(([type, names]) => [type, [...names].toSorted()])),
      askedAt,
    },
    id: `${call.key}/${account.id}/collected/${span.from}/${span.to}/${call.attempt}`,
  })
}

async function* pagesOf(
  { reads }: CollectTools,
  { orgId, id }: CloudAccount,
  since: number,
): AsyncGenerator<ResourceRef[]> {
  let after = ''
  for (;;) {
    const page = await reads.rows<ResourceRef>(resourcesSql, [orgId, id, after, pageMax, new Date(since)])
    if (page.length === 0) return
    yield page
    after = page.at(-1)!.resourceUid
  }
}

function note(fetched: Map<string, Set<string>>, type: string, { samples }: MetricSamples): void {
  const names = fetched.get(type) ?? new Set<string>()
  for (const { metric } of samples) names.add(metric)
  fetched.set(type, names)
}

/** Collects samples into as few messages as their limits allow. The same samples get the same ids. */
class Outbox {
  private readonly tools: CollectTools
  private readonly account: CloudAccount
  private readonly key: string
  private events: Event[] = []
  private bytes = 0
  private sent = 0

  constructor(tools: CollectTools, account: CloudAccount, key: string) {
    this.tools = tools
    this.account = account
    this.key = key
  }

  async add(data: MetricSamples, { from, to }: Span): Promise<void> {
    const size = Buffer.byteLength(JSON.stringify(data))
    if (this.events.length === eventsMax || this.bytes + size > bytesMax) await this.end()
    const { orgId, id: place } = this.account
    const first = data.samples[0]!.ts
    const id = uuidOf('metric-sample', orgId, place, data.resourceUid, `${from}`, `${to}`, first)
    this.events.push({ subject: metricSample, orgId, place, data, id })
    this.bytes += size
  }

  async end(): Promise<void> {
    if (this.events.length > 0) await this.tools.publisher.publishTogether(`${this.key}/${this.sent++}`, this.events)
    this.events = []
    this.bytes = 0
  }
}
