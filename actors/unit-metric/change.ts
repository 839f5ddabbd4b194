/** Changes of unit metrics and what is pushed into them. The one writer of UnitMetric. */
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

/** Where values are pulled from: GET, and the answer itself, unless given. */
interface PullGiven extends Omit<Pull, 'method' | 'rowsPath'>, Partial<Pick<Pull, 'method' | 'rowsPath'>> {
  /** Never shown again. */
  headers?: Readonly<Record<string, string>>
}

/** What of a metric may be given; what is left out stays. */
export interface MetricGiven {
  name?: string
  key?: string
  unit?: string
  ingestion?: Ingestion
  aggregation?: Aggregation
  pull?: PullGiven | null
  /** Names of providers may be stand-ins. */
  costScope?: { providers?: readonly string[]; teamIDs?: readonly string[]; tags?: Record<string, string> } | null
}
export type NewMetric = MetricGiven & Required<Pick<MetricGiven, 'name' | 'key' | 'unit' | 'ingestion' | 'aggregation'>>

export interface MetricTools {
  seal: Seal
  /** Whether addresses that customers give may lead into private networks. */
  allowPrivate: boolean
}

/** @throws Fault `missing` */
export async function foundMetric(em: EntityManager, orgId: string, id: string): Promise<UnitMetric> {
  const metric = isUuid(id) ? await em.findOne(UnitMetric, { orgId, id }, { refresh: true }) : null
  if (!metric) throw Fault.missing('unit metric', id)
  return metric
}

/** @throws Fault `conflict` `already_exists` for a key that another metric has, `invalid` for a pull that cannot be */
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
 * Values stay, and pulls go on as they were scheduled unless how they are pulled is given.
 * @throws Fault `missing`, `conflict` `already_exists` for a key that another metric has, `invalid` for a pull that cannot be
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

/** With its values. @throws Fault `missing` */
export async function removeMetric({ em, tell, orgId }: RecordChange, id: string): Promise<void> {
  const metric = await foundMetric(em, orgId, id)
  em.remove(metric)
  await tell(unitMetricRemoved, { metricId: metric.id })
}

/** Tells all of the values or none of them. @throws Fault `missing` */
export async function pushValues({ em, tell, orgId }: RecordChange, id: string, values: TimedValues): Promise<void> {
  const { id: metricId, seriesId } = await foundMetric(em, orgId, id)
  for (const batch of batches(values)) await tell(valuesPushed, { metricId, seriesId, ...batch })
}

/** The metric stays. @throws Fault `missing` */
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

/** Sets what is given. @throws Fault `invalid` for a pull without the ingestion of that name, and the other way round */
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

/** Headers stay where they were given for: at the origin they are sent to. */
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
