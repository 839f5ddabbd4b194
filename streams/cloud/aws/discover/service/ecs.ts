import type { Service, TaskDefinition } from '@aws-sdk/client-ecs'
import { containerCluster, containerService, isInactive } from '#streams/cloud/aws/map/ecs.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { chunks, mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, type Finder, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'

/** Maximum items per call. Below: services per call. */
const clustersMax = 100
const servicesMax = 10

/** Services are children of clusters, so both are found together, a cluster before its services. */
export const containerFinder: Finder = {
  types: ['aws-ecs-cluster', 'aws-ecs-service'],
  service: 'ecs',
  scope: 'region',
  async *find(place) {
    const tasks = new Map<string, Promise<TaskDefinition | undefined>>()
    const lists = place.pages(
      'ecs',
      (m, nextToken) => new m.ListClustersCommand({ maxResults: clustersMax, ...(nextToken && { nextToken }) }),
      ({ nextToken }) => nextToken,
    )
    for await (const { clusterArns } of lists) {
      const arns = listOf(clusterArns)
      if (arns.length === 0) continue
      const { clusters } = await place.ask(
        'ecs',
        (m) => new m.DescribeClustersCommand({ clusters: [...arns], include: ['TAGS'] }),
      )
      const there = listOf(clusters).filter((one) => !isInactive(one))
      yield there.flatMap((one) => containerCluster(one, place))
      for (const { clusterArn } of there) if (clusterArn) yield* servicesOf(place, clusterArn, tasks)
    }
  },
}

async function* servicesOf(
  place: RegionScan,
  cluster: string,
  tasks: Map<string, Promise<TaskDefinition | undefined>>,
) {
  const lists = place.pages(
    'ecs',
    (m, nextToken) => new m.ListServicesCommand({ cluster, maxResults: 100, ...(nextToken && { nextToken }) }),
    ({ nextToken }) => nextToken,
  )
  for await (const { serviceArns } of lists) {
    const described = await mapConcurrently(chunks(listOf(serviceArns), servicesMax), callsAtOnce, (services) =>
      place.ask('ecs', (m) => new m.DescribeServicesCommand({ cluster, services, include: ['TAGS'] })),
    )
    const services = described.flatMap((answer) => listOf(answer.services)).filter((one) => !isInactive(one))
    const found = await mapConcurrently(services, callsAtOnce, async (one) =>
      containerService(one, place, await taskOf(place, one, tasks)),
    )
    yield found.flat()
  }
}

/** Requests each task definition once. */
function taskOf(
  place: RegionScan,
  { taskDefinition }: Service,
  tasks: Map<string, Promise<TaskDefinition | undefined>>,
): Promise<TaskDefinition | undefined> | undefined {
  if (!taskDefinition) return undefined
  let task = tasks.get(taskDefinition)
  if (!task) {
    task = place.more('task', async () => {
      const answer = await place.ask('ecs', (m) => new m.DescribeTaskDefinitionCommand({ taskDefinition }))
      return answer.taskDefinition
    })
    tasks.set(taskDefinition, task)
  }
  return task
}
