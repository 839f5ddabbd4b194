/** Data factories, with the pipelines that nobody runs and the time for which clusters of data flows are kept. */
import { dayMs } from '#engine/value/day.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { numberAt, resource, timeAt } from '#streams/cloud/azure/map/resource.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import type { SubscriptionScan } from './finder.ts'
import { factoryVersion } from './runtimes-and-pools.ts'

const runDays = 30
/** Maximum pages of runs; of a factory with more it is not known which pipelines run. */
const pagesMax = 100

export interface FactoryDetail {
  inactiveCount?: number | undefined
  runtimes?: readonly Item[] | undefined
}

export const factory = async (one: Item, place: SubscriptionScan): Promise<DiscoveredResource[]> =>
  dataFactory(one, {
    inactiveCount: await countInactive(one, place),
    runtimes: await place.allBelow(one, 'integrationRuntimes', factoryVersion),
  })

export const dataFactory = (item: Item, { inactiveCount, runtimes }: FactoryDetail = {}): DiscoveredResource[] =>
  resource('azure-data-factory', item, {
    specs: {
      created_at: timeAt(item, 'properties', 'createTime'),
      inactive_pipeline_count: inactiveCount,
      dataflow_ttl_minutes: runtimes && Math.max(0, ...runtimes.map(ttlOf)),
    },
  })

const ttlOf = (runtime: Item): number =>
  numberAt(runtime, 'properties', 'typeProperties', 'computeProperties', 'dataFlowProperties', 'timeToLive') ?? 0

async function countInactive(one: Item, place: SubscriptionScan): Promise<number | undefined> {
  const pipelines = await place.allBelow(one, 'pipelines', factoryVersion)
  if (!pipelines || pipelines.length === 0) return pipelines?.length
  const run = await place.also('queryPipelineRuns', () => runIn(one, place))
  return run ? pipelines.filter((each) => !run.has(textAt(each, 'name') ?? '')).length : undefined
}

/** Names of the pipelines that ran; undefined if there are too many runs to tell. */
async function runIn({ id }: Item, place: SubscriptionScan): Promise<ReadonlySet<string> | undefined> {
  const names = new Set<string>()
  const span = {
    lastUpdatedAfter: new Date(place.now - runDays * dayMs).toISOString(),
    lastUpdatedBefore: new Date(place.now).toISOString(),
  }
  let token: string | undefined
  for (let page = 0; page < pagesMax; page++) {
    const body = { ...span, ...(token !== undefined && { continuationToken: token }) }
    const answer = await place.ask({ method: 'POST', path: `${id}/queryPipelineRuns`, version: factoryVersion, body })
    for (const run of listOf(memberOf(answer, 'value'))) names.add(textAt(run, 'pipelineName') ?? '')
    token = textAt(answer, 'continuationToken')
    if (token === undefined) return names
  }
  return undefined
}
