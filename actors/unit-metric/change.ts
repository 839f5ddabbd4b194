/** Changes of unit metrics, and values pushed to them. The one writer of UnitMetric. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { headersSealed, UnitMetric, type Aggregation, type Ingestion, type Pull } from '#actors/unit-metric/entity.ts'
import { batches, type TimedValues } from '#actors/unit-metric/values.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import type { Seal } from '#engine/seal.ts'
import { isTaken, type RecordChange } from '#engine/run/tell.ts'
import { outsideUrl } from '#streams/delivery/outbound.ts'
import { realName, type Provider } from '#streams/names.ts'
import { pullChanged, unitMetricRemoved, valuesPushed } from '#streams/unit-metric.ts'

/** Where values are pulled from. Defaults: method GET, the response itself as rows. */
interface PullGiven extends Omit<Pull, 'method' | 'rowsPath'>, Partial<Pick<Pull, 'method' | 'rowsPath'>> {
  /** Never shown again. */
  headers?: Readonly<Record<string, string>>
}

/** What a request may set. Missing fields stay unchanged. */
export interface MetricGiven {
  name?: string
  key?: string
  unit?: string
  ingestion?: Ingestion
  aggregation?: Aggregation
  pull?: PullGiven | null
  /** Providers may be simulated ones. */
  costScope?: { providers?: readonly string[]; teamIDs?: readonly string[]; tags?: Record<string, string> } | null
}
export type NewMetric = MetricGiven & Required<Pick<MetricGiven, 'name' | 'key' | 'unit' | 'ingestion' | 'aggregation'>>

export interface MetricTools {
  seal: Seal
  /** Whether addresses given by customers may lead into private networks. */
  allowPrivate: boolean
}

/** @throws Fault `missing` */
export async function foundMetric(em: EntityManager, orgId: string, id: string): Promise<UnitMetric> {
  const metric = isUuid(id) ? await em.findOne(UnitMetric, { orgId, id }, { refresh: true }) : null
  if (!metric) throw Fault.missing('unit metric', id)
  return metric
}

/** @throws Fault `conflict` `already_exists` if another metric has the key, `invalid` for an impossible pull */
export async function makeMetric(change: RecordChange, given: NewMetric, tools: MetricTools): Promise<UnitMetric> {
  const { em, tell, orgId } = change
  const at = change.now()
  await checkRowLimit(em, 'unit_metric', orgId)
  const { pull: _pull, costScope: _scope, ...plain } = given
  const fresh = { orgId, id: randomUUID(), pull: null, pullHeaders: null, costScope: null, seriesId: randomUUID() }
  const made = em.create(UnitMetric, { ...fresh, ...plain, createdAt: at, updatedAt: at })
  apply(made, given, at, tools)
  await flushUnique(em.persist(made))
  if (made.pull) await tell(pullChanged, { metricId: made.id, intervalMinutes: made.pull.intervalMinutes })
  return made
}

/**
 * Values stay; the schedule of pulls stays, too, unless `pull` is given.
 * @throws Fault `missing`, `conflict` `already_exists` if another metric has the key, `invalid` for an impossible pull
 */
export async function editMetric(
  change: RecordChange,
  id: string,
  given: MetricGiven,
  tools: MetricTools,
): Promise<UnitMetric> {
  const { em, tell, orgId } = change
  const metric = await foundMetric(em, orgId, id)
  const before = metric.pull ?? null
  apply(metric, given, change.now(), tools)
  await flushUnique(em)
  const intervalMinutes = metric.pull?.intervalMinutes ?? null
  const isOther = given.pull !== undefined || (before === null) !== (intervalMinutes === null)
  if (isOther) await tell(pullChanged, { metricId: metric.id, intervalMinutes })
  return metric
}

/** Also deletes its values. @throws Fault `missing` */
export async function removeMetric({ em, tell, orgId }: RecordChange, id: string): Promise<void> {
  const metric = await foundMetric(em, orgId, id)
  em.remove(metric)
  await tell(unitMetricRemoved, { metricId: metric.id })
}

/** Stores all of the values or none of them. @throws Fault `missing` */
export async function pushValues({ em, tell, orgId }: RecordChange, id: string, values: TimedValues): Promise<void> {
  const { id: metricId, seriesId } = await foundMetric(em, orgId, id)
  for (const batch of batches(values)) await tell(valuesPushed, { metricId, seriesId, ...batch })
}

/** Deletes all values; the metric stays. @throws Fault `missing` */
export async function dropValues({ em, orgId, now }: RecordChange, id: string): Promise<void> {
  const metric = await foundMetric(em, orgId, id)
  metric.seriesId = randomUUID()
  metric.updatedAt = now()
}

async function flushUnique(em: Pick<EntityManager, 'flush'>): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (isTaken(error)) throw Fault.conflict('already_exists', 'Another unit metric already has this key.')
    throw error
  }
}

/** Sets the given fields. @throws Fault `invalid` for a pull without ingestion `pull`, and the other way round */
function apply(metric: UnitMetric, given: MetricGiven, at: Date, tools: MetricTools): void {
  const { pull: wanted, costScope, ...plain } = given
  Object.assign(metric, plain)
  if (costScope !== undefined) metric.costScope = costScope && scopeOf(costScope)
  if (metric.ingestion !== 'pull') {
    if (wanted) throw badPull('', 'ingestion', 'can only be set when ingestion is pull')
    Object.assign(metric, { pull: null, pullHeaders: null })
  } else if (wanted) {
    pullFrom(metric, wanted, tools)
  } else if (wanted === null || !metric.pull) {
    throw badPull('', 'required', 'is required when ingestion is pull')
  }
  metric.updatedAt = at
}

/** Headers are kept only while the origin they were given for stays the same. */
function pullFrom(metric: UnitMetric, wanted: PullGiven, { seal, allowPrivate }: MetricTools): void {
  const { headers, ...rest } = wanted
  try {
    outsideUrl(rest.url, allowPrivate)
  } catch (error) {
    throw badPull('/url', 'address_refused', Fault.from(error).message)
  }
  const pull: Pull = { method: 'GET', rowsPath: '', ...rest }
  if (headers) metric.pullHeaders = seal(headersSealed, metric.orgId, headers)
  else if (!metric.pull || new URL(metric.pull.url).origin !== new URL(pull.url).origin) metric.pullHeaders = null
  metric.pull = pull
}

const badPull = (name: string, code: string, message: string): Fault =>
  Fault.invalidAt({ path: `/pull${name}`, code, message })

const scopeOf = ({ providers = [], teamIDs = [], tags = {} }: NonNullable<MetricGiven['costScope']>) => ({
  providers: [...new Set(providers.map((name) => realName(name) as Provider))],
  teamIDs: [...new Set(teamIDs)],
  tags,
})
