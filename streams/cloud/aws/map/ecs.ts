/** Maps ECS clusters and services. */
import type { Cluster, Service, TaskDefinition } from '@aws-sdk/client-ecs'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { listOf, resource, timeOf, type Where } from './resource.ts'

/** Stays in lists for a while after its deletion. */
export const isInactive = ({ status }: Pick<Cluster, 'status'>): boolean => status === 'INACTIVE'

export const containerCluster = (one: Cluster, where: Where): DiscoveredResource[] =>
  resource('aws-ecs-cluster', one.clusterArn, where, {
    name: one.clusterName,
    tags: one.tags,
    specs: {
      container_instance_count: one.registeredContainerInstancesCount,
      running_tasks: one.runningTasksCount,
      service_count: one.activeServicesCount,
    },
  })

/** `task` is its task definition, if that may be read. */
export const containerService = (one: Service, where: Where, task: TaskDefinition | undefined): DiscoveredResource[] =>
  resource('aws-ecs-service', one.serviceArn, where, {
    name: one.serviceName,
    status: statusOf(one),
    parentUID: one.clusterArn,
    unitCount: one.desiredCount,
    tags: one.tags,
    specs: {
      created_at: timeOf(one.createdAt),
      launch_type: launchTypeOf(one),
      desired_count: one.desiredCount,
      running_count: one.runningCount,
      spot_weight_percent: spotPercent(one),
      task_definition: one.taskDefinition,
      ...(task && taskSpecs(task)),
    },
  })

/** `runningCount>0=running; desiredCount=0 and runningCount=0=stopped; desired>running=starting`. */
function statusOf({ runningCount = 0, desiredCount = 0 }: Service): ResourceStatus {
  if (runningCount > 0) return 'running'
  return desiredCount === 0 ? 'stopped' : 'starting'
}

/** With a capacity provider strategy, there is no launch type. */
function launchTypeOf({ launchType, capacityProviderStrategy }: Service): string | undefined {
  if (launchType) return launchType
  const providers = listOf(capacityProviderStrategy)
  if (providers.length === 0) return undefined
  return providers.every(({ capacityProvider }) => capacityProvider?.startsWith('FARGATE')) ? 'FARGATE' : 'EC2'
}

function spotPercent({ capacityProviderStrategy }: Service): number {
  const providers = listOf(capacityProviderStrategy).map((one) => [one.capacityProvider, one.weight ?? 0] as const)
  const whole = providers.reduce((sum, [, weight]) => sum + weight, 0)
  const spot = providers.reduce((sum, [name, weight]) => (name === 'FARGATE_SPOT' ? sum + weight : sum), 0)
  return whole === 0 ? 0 : Math.round((spot / whole) * 100)
}

const taskSpecs = (task: TaskDefinition): Record<string, unknown> => ({
  task_cpu_units: numberOf(task.cpu),
  task_memory_mib: numberOf(task.memory),
  cpu_architecture: task.runtimePlatform?.cpuArchitecture ?? 'X86_64',
  operating_system: task.runtimePlatform?.operatingSystemFamily ?? 'LINUX',
  privileged_containers: listOf(task.containerDefinitions).some(({ privileged }) => privileged === true),
})

const numberOf = (digits: string | undefined): number | undefined =>
  digits && Number.isFinite(Number(digits)) ? Number(digits) : undefined
