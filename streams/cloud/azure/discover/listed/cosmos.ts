import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { listedBelow, listedType } from '#streams/cloud/azure/discover/listed.ts'
import { callsAtOnce, type SubscriptionScan } from '#streams/cloud/azure/discover/finder.ts'
import { numberAt } from '#streams/cloud/azure/map/resource.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

const accounts = 'Microsoft.DocumentDB/databaseAccounts'
const version = '2024-05-15'
const settings = 'throughputSettings/default'

const container = listedType({
  type: 'azure-cosmos-container',
  permissions: [
    `${accounts}/read`,
    `${accounts}/sqlDatabases/read`,
    `${accounts}/sqlDatabases/throughputSettings/read`,
    `${accounts}/sqlDatabases/containers/read`,
    `${accounts}/sqlDatabases/containers/throughputSettings/read`,
  ],
  fields: ({ parent }) => ({ parentUID: parent?.id, location: textAt(parent, 'location') }),
  specs: {
    throughput_mode: ({ item }) =>
      item['throughput'] && (memberOf(item, 'throughput', 'autoscaleSettings') ? 'autoscale' : 'manual'),
    ru_per_second: ({ item }) =>
      numberAt(item, 'throughput', 'autoscaleSettings', 'maxThroughput') ?? numberAt(item, 'throughput', 'throughput'),
    // As metrics are split by them.
    database: ({ item }) => textAt(item, 'database'),
    container: ({ item }) => textAt(item, 'container') ?? null,
  },
})

/** Containers and databases that have throughput of their own; those of other APIs are not listed. */
async function* throughputsIn(place: SubscriptionScan, account: Item): AsyncGenerator<Item[]> {
  const isServerless = listOf(memberOf(account, 'properties', 'capabilities')).some(
    (one) => textAt(one, 'name') === 'EnableServerless',
  )
  if (isServerless || (textAt(account, 'kind') ?? 'GlobalDocumentDB') !== 'GlobalDocumentDB') return
  for await (const databases of place.below(account.id, 'sqlDatabases', version)) {
    yield await withThroughput(place, databases, (one) => ({ database: textAt(one, 'name') }))
    for (const { id, name } of databases)
      for await (const page of place.below(id, 'containers', version))
        yield await withThroughput(place, page, (one) => ({ database: name, container: textAt(one, 'name') }))
  }
}

/** Without those that share the throughput of their database: Azure says that they have no setting. */
async function withThroughput(
  place: SubscriptionScan,
  items: readonly Item[],
  namesOf: (item: Item) => object,
): Promise<Item[]> {
  const found = await mapConcurrently(items, callsAtOnce, async (one) => {
    const answer = await place.oneBelow(one, settings, version)
    return answer === null ? [] : [{ ...one, ...namesOf(one), throughput: memberOf(answer, 'properties', 'resource') }]
  })
  return found.flat()
}

export const cosmosContainers = listedBelow({ list: [accounts, version], children: [[container, throughputsIn]] })
