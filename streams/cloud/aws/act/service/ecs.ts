/** Services of ECS: their tasks, and the bounds within which Application Auto Scaling keeps them. */
import type { ScalableTarget } from '@aws-sdk/client-application-auto-scaling'
import type { RegisterTaskDefinitionCommandInput, Service, TaskDefinition } from '@aws-sdk/client-ecs'
import type { CloudAction, Capacity } from '#streams/cloud/connector.ts'
import { fleetStatus } from '#streams/cloud/aws/resource/status.ts'
import { partsOf } from '#streams/cloud/aws/resource/uid.ts'
import {
  absent,
  ignoreNotFound,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
  type Specs,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, madeName, numberIn } from '#streams/cloud/resource/verb/spec.ts'
import { wholeCounts } from '#streams/cloud/resource/verb/units.ts'
import { actionTag, type At, type Verbs } from '#streams/cloud/aws/act/kind.ts'

/** Older ARNs do not name the cluster: then it is the default one. */
function servicePlace({ ref }: At): { cluster: string; service: string } {
  const parts = partsOf(ref.resourceUid)
  const service = parts.at(-1)!
  const told = ref.specs?.['cluster']
  return { cluster: parts.at(-2) ?? (typeof told === 'string' ? told : 'default'), service }
}

/** How Application Auto Scaling calls it. */
export const scalableId = (at: At) => {
  const { cluster, service } = servicePlace(at)
  return {
    ServiceNamespace: 'ecs' as const,
    ResourceId: `service/${cluster}/${service}`,
    ScalableDimension: 'ecs:service:DesiredCount' as const,
  }
}

async function serviceOf(at: At): Promise<Service | undefined> {
  const { cluster, service } = servicePlace(at)
  const answer = await ignoreNotFound(
    at.session.ask('ecs', at.region, (m) => new m.DescribeServicesCommand({ cluster, services: [service] })),
  )
  const found = answer?.services?.[0]
  return found?.status === 'INACTIVE' ? undefined : found
}

export async function boundsOf(at: At): Promise<ScalableTarget | undefined> {
  const { ServiceNamespace, ResourceId, ScalableDimension } = scalableId(at)
  const filter = { ServiceNamespace, ResourceIds: [ResourceId], ScalableDimension }
  const answer = await at.session.ask(
    'application-auto-scaling',
    at.region,
    (m) => new m.DescribeScalableTargetsCommand(filter),
  )
  return answer.ScalableTargets?.[0]
}

/** Without bounds of its own it may have none, and as many as it has. */
async function look(at: At): Promise<ResourceState> {
  const service = await serviceOf(at)
  if (!service) return absent
  const { desiredCount: desired = 0, runningCount = 0, pendingCount = 0 } = service
  const target = await boundsOf(at)
  const there = desired > 0 ? runningCount : runningCount + pendingCount
  return {
    exists: true,
    status: fleetStatus(desired, there),
    capacity: { min: target?.MinCapacity ?? 0, max: target?.MaxCapacity ?? desired, desired },
    specs: dropNullish({
      desired_count: desired,
      min_capacity: target?.MinCapacity,
      max_capacity: target?.MaxCapacity,
      spot_weight_percent: spotWeight(service),
      task_definition: service.taskDefinition,
      ...(await taskSize(at, service)),
    }),
    isGoing: service.status === 'DRAINING',
  }
}

function spotWeight({ launchType, capacityProviderStrategy: given = [] }: Service): number | undefined {
  const total = given.reduce((sum, { weight = 0 }) => sum + weight, 0)
  if (total === 0) return launchType === 'FARGATE' ? 0 : undefined
  const spot = given.find(({ capacityProvider }) => capacityProvider === 'FARGATE_SPOT')?.weight ?? 0
  return Math.round((100 * spot) / total)
}

async function definitionOf({ session, region }: At, name: string) {
  const filter = { taskDefinition: name, include: ['TAGS' as const] }
  return ignoreNotFound(session.ask('ecs', region, (m) => new m.DescribeTaskDefinitionCommand(filter)))
}

/** Of what runs on machines of the customer's own a task may have no size. Whoever may not look at it is told nothing. */
async function taskSize(at: At, { taskDefinition }: Service) {
  if (taskDefinition === undefined) return {}
  const found = await definitionOf(at, taskDefinition).catch(() => undefined)
  const { cpu, memory } = found?.taskDefinition ?? {}
  return { task_cpu_units: cpu && Number(cpu), task_memory_mib: memory && Number(memory) }
}

const writeBounds = (at: At, { min, max }: Pick<Capacity, 'min' | 'max'>) =>
  at.session.ask(
    'application-auto-scaling',
    at.region,
    (m) => new m.RegisterScalableTargetCommand({ ...scalableId(at), MinCapacity: min, MaxCapacity: max }),
  )

const updateService = (at: At, change: object) =>
  at.session.ask('ecs', at.region, (m) => new m.UpdateServiceCommand({ ...servicePlace(at), ...change }))

/** A service without bounds gets them where somebody asks for bounds: they do nothing before a policy stands. */
async function count(at: At, to: Capacity, { kind, params = {} }: CloudAction): Promise<void> {
  const target = await boundsOf(at)
  const isBounded = kind === 'scale' && (params.min !== undefined || params.max !== undefined)
  const differs = target?.MinCapacity !== to.min || target.MaxCapacity !== to.max
  if ((target && differs) || (!target && isBounded)) await writeBounds(at, to)
  await updateService(at, { desiredCount: to.desired })
}

const set: Verbs['set'] = async (at, specs, seen, action) => {
  const min = numberIn(specs, 'min_capacity')
  const max = numberIn(specs, 'max_capacity')
  const { capacity } = seen
  if (min !== undefined || max !== undefined)
    await writeBounds(at, { min: min ?? capacity!.min, max: max ?? capacity!.max })
  const desiredCount = numberIn(specs, 'desired_count')
  const change = dropNullish({
    desiredCount,
    ...spotStrategy(at, specs),
    taskDefinition: await sizedTask(at, specs, seen, action),
  })
  if (Object.keys(change).length > 0) await updateService(at, change)
}

function spotStrategy({ ref }: At, specs: Specs) {
  const spot = numberIn(specs, 'spot_weight_percent')
  if (spot === undefined) return {}
  if (spot < 0 || spot > 100) throw unsupportedFault(ref, `a Spot weight of ${spot} percent`)
  const weights = [
    { capacityProvider: 'FARGATE_SPOT', weight: Math.round(spot) },
    { capacityProvider: 'FARGATE', weight: 100 - Math.round(spot) },
  ]
  return { capacityProviderStrategy: weights.filter(({ weight }) => weight > 0), forceNewDeployment: true }
}

/** The size of tasks is their definition's: a revision of it is registered, once for each action. */
async function sizedTask(
  at: At,
  specs: Specs,
  { specs: now = {} }: ResourceState,
  action: CloudAction,
): Promise<string | undefined> {
  const cpu = numberIn(specs, 'task_cpu_units')
  const memory = numberIn(specs, 'task_memory_mib')
  if (cpu === undefined && memory === undefined) return undefined
  const found = await definitionOf(at, String(now['task_definition']))
  if (!found?.taskDefinition) throw unsupportedFault(at.ref, 'this change without a task definition')
  const made = madeName(action)
  const newest = await definitionOf(at, found.taskDefinition.family!)
  const isOurs = newest?.tags?.some(({ key, value }) => key === actionTag && value === made)
  if (isOurs) return newest!.taskDefinition!.taskDefinitionArn
  const { taskDefinition } = await at.session.ask(
    'ecs',
    at.region,
    (m) =>
      new m.RegisterTaskDefinitionCommand({
        ...revisable(found.taskDefinition!),
        ...dropNullish({ cpu: cpu?.toString(), memory: memory?.toString() }),
        tags: [...(found.tags ?? []).filter(({ key }) => key !== actionTag), { key: actionTag, value: made }],
      }),
    { repeatable: false },
  )
  return taskDefinition?.taskDefinitionArn
}

/** What a definition says of itself that nobody may say. */
function revisable(definition: TaskDefinition): RegisterTaskDefinitionCommandInput {
  const {
    taskDefinitionArn: _arn,
    revision: _revision,
    status: _status,
    requiresAttributes: _attributes,
    compatibilities: _compatibilities,
    registeredAt: _at,
    registeredBy: _by,
    deregisteredAt: _until,
    ...given
  } = definition
  return given as RegisterTaskDefinitionCommandInput
}

export const service: ResourceKind<At> = {
  look,
  sets: ['desired_count', 'min_capacity', 'max_capacity', 'task_cpu_units', 'task_memory_mib', 'spot_weight_percent'],
  scale: wholeCounts((at, to, _, action) => count(at, to, action)),
  set,
  delete: (at) =>
    at.session.ask('ecs', at.region, (m) => new m.DeleteServiceCommand({ ...servicePlace(at), force: true })),
}
