/**
 * What a workflow would do for a recommendation. Computed from committed rows only, so that preview and job are equal.
 */
import { createHash } from 'node:crypto'
import type { GovernanceSpec } from '#actors/recommendation/policy/governance.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { operationsOf, type OperationKind } from '#streams/cloud/resource/operation.ts'
import type { ActionType, Category } from '#streams/recommendation.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import type { ChangeWindow, TemplateName } from '#streams/workflow.ts'
import type { WorkflowPlan, PlannedOp, Sight } from '#actors/workflow/entity.ts'
import { templates } from './template.ts'

/** The parts of a recommendation that planning reads. */
export interface RecommendationFacts {
  id: string
  status: string
  ruleId: string
  category: Category
  actionType: ActionType
  automation: string
  title: string
  remediation: string
  resourceUid: string
  resourceName: string
  resourceType: string
  provider: string
  region: string
  targetSpec: Record<string, unknown> | null
  currentCostUsd: string
  savingsUsd: string
}

/** The resource in the inventory. */
export interface InventoryResource {
  status: ResourceStatus
  instanceType: string
  specs: Readonly<Record<string, unknown>>
  schedulable: boolean
  deletedAt?: Date | null
}

/** What policies add to a plan. */
export interface PolicyAdditions {
  fourEyes: boolean
  windows: ChangeWindow[]
  policies: string[]
}

/** Types that must be stopped while their size is changed. */
const isMachine = (type: string): boolean => operationsOf(type).has('resize')

/** Specs that follow from the size and are not set themselves. */
const followsSize = new Set(['vcpus', 'memory_gib'])

const sizeOf = (target: Readonly<Record<string, unknown>> | null): string | undefined => {
  const size = target?.['instance_type']
  return typeof size === 'string' ? size : undefined
}

interface TemplateInput {
  of: RecommendationFacts
  can: ReadonlySet<OperationKind>
  schedulable: boolean
  /** Whether the operation `set` can reach the target. */
  isSettable: boolean
}

const setOr = (template: TemplateName) => (asked: TemplateInput) => (asked.isSettable ? template : 'manual')
const byPeople = (): TemplateName => 'manual'

const templatesBy: Readonly<Record<ActionType, (asked: TemplateInput) => TemplateName>> = {
  pause: ({ can }) => (can.has('pause') ? 'pause' : 'manual'),
  delete: (asked) => {
    const { of, can } = asked
    if (of.targetSpec !== null) return setOr('set')(asked)
    return ruleOf(of.ruleId)?.target.kind !== 'stop' && can.has('delete') ? 'delete' : 'manual'
  },
  stop: ({ of, schedulable, isSettable }) =>
    (of.automation === 'executor' ? schedulable : isSettable) ? 'stop' : 'manual',
  schedule: ({ of: { targetSpec }, schedulable }) => {
    if (!schedulable) return 'manual'
    if (targetSpec === null) return 'stop'
    return targetSpec['preset'] === 'business-hours' ? 'schedule' : 'manual'
  },
  resize: setOr('resize'),
  change_type: setOr('resize'),
  modify: setOr('set'),
  configure: setOr('set'),
  upgrade: setOr('set'),
  purchase: byPeople,
  tag: byPeople,
  none: byPeople,
}

/**
 * The template for a recommendation. `manual` if no call of this service can do it: purchases, tagging, operations that
 * connectors do not have, and rules about autoscaler policies.
 */
export function templateOf(
  of: RecommendationFacts,
  { schedulable }: Pick<InventoryResource, 'schedulable'>,
): TemplateName {
  const { actionType, automation, ruleId, targetSpec, resourceType } = of
  if (automation === 'manual' || ruleId.startsWith('RC-ASC-')) return 'manual'
  const can = operationsOf(resourceType)
  const isSettable = targetSpec !== null && !('preset' in targetSpec) && can.has('set')
  return templatesBy[actionType]({ of, can, schedulable, isSettable })
}

export function planOf(of: RecommendationFacts, resource: InventoryResource, added: PolicyAdditions): WorkflowPlan {
  const template = templateOf(of, resource)
  const ops = opsBy[template](of, resource)
  return {
    template,
    templateRevision: templates[template].revision,
    title: of.title,
    ruleId: of.ruleId,
    actionType: of.actionType,
    resource: {
      uid: of.resourceUid,
      name: of.resourceName,
      type: of.resourceType,
      provider: of.provider,
      region: of.region,
    },
    ops,
    targetSpec: of.targetSpec,
    was: { ...before(resource), exists: !resource.deletedAt },
    target: targetOf(ops),
    estimate: { costUsd: Number(of.currentCostUsd), savingsUsd: Number(of.savingsUsd) },
    instruction: template === 'manual' ? of.remediation : '',
    ...added,
  }
}

/** The state after all operations: the last value of each field. */
const targetOf = (ops: readonly PlannedOp[]): Sight =>
  ops.reduce<Sight>(
    (seen, { done }) => ({ ...seen, ...done, ...(done.specs && { specs: { ...seen.specs, ...done.specs } }) }),
    {},
  )

type OpsOf = (of: RecommendationFacts, resource: InventoryResource) => PlannedOp[]

const here: Sight = { exists: true }
const off: Sight = { exists: true, status: 'stopped' }
const on: Sight = { exists: true, status: 'running' }

/** Whether it runs is left to its power actor. */
const expectSize = ({ instanceType }: InventoryResource): Sight => ({
  exists: true,
  ...(instanceType !== '' && { instanceType }),
})

const setOps: OpsOf = ({ targetSpec }, resource) => [setOp(targetSpec!, resource)]

const opsBy: Readonly<Record<TemplateName, OpsOf>> = {
  manual: () => [],
  schedule: () => [{ kind: 'schedule', expect: here, done: {} }],
  start: () => [{ kind: 'start', expect: here, done: on }],
  stop: (of, resource) =>
    of.automation === 'executor' ? [{ kind: 'stop', expect: expectSize(resource), done: off }] : setOps(of, resource),
  pause: (_of, resource) => [{ kind: 'pause', expect: before(resource), done: off }],
  delete: ({ resourceType }, resource) => {
    const gone: PlannedOp = { kind: 'delete', expect: before(resource), done: { exists: false } }
    const kept: PlannedOp = { kind: 'snapshot', expect: before(resource), done: {} }
    return operationsOf(resourceType).has('snapshot') ? [kept, gone] : [gone]
  },
  resize: (of, resource) => {
    const size = sizeOf(of.targetSpec)
    return size !== undefined && isMachine(of.resourceType) ? resizeOps(size, resource) : setOps(of, resource)
  },
  set: setOps,
}

const before = ({ status, instanceType }: InventoryResource): Sight => ({
  exists: true,
  ...(isKnown(status) && { status }),
  ...(instanceType !== '' && { instanceType }),
})

/** A changing or unknown status is not required to stay the same. */
const isKnown = (status: ResourceStatus): boolean => status === 'running' || status === 'stopped'

/** Stop, resize, start; a stopped machine stays stopped. */
function resizeOps(size: string, { status, instanceType }: InventoryResource): PlannedOp[] {
  const now = instanceType === '' ? {} : { instanceType }
  const resize: PlannedOp = {
    kind: 'resize',
    size,
    expect: { exists: true, status: 'stopped', ...now },
    done: { exists: true, instanceType: size },
  }
  if (status === 'stopped') return [resize]
  return [
    { kind: 'stop', expect: { exists: true, ...now }, done: { exists: true, status: 'stopped' } },
    resize,
    { kind: 'start', expect: { exists: true, instanceType: size }, done: { exists: true, status: 'running' } },
  ]
}

function setOp(target: Readonly<Record<string, unknown>>, resource: InventoryResource): PlannedOp {
  const size = sizeOf(target)
  const own = Object.entries(target).filter(
    ([name]) => name !== 'instance_type' && !(size !== undefined && followsSize.has(name)),
  )
  const specs = Object.fromEntries(own)
  const was = Object.fromEntries(
    own.flatMap(([name]) => (resource.specs[name] === undefined ? [] : [[name, resource.specs[name]] as const])),
  )
  return {
    kind: 'set',
    specs: size === undefined ? specs : { ...specs, instance_type: size },
    expect: {
      exists: true,
      ...(size !== undefined && resource.instanceType !== '' && { instanceType: resource.instanceType }),
      specs: was,
    },
    done: { exists: true, ...(size !== undefined && { instanceType: size }), specs },
  }
}

/** The hash of a plan, independent of the order of members. */
export const hashOf = (plan: WorkflowPlan): string =>
  createHash('sha256')
    .update(JSON.stringify(sortMembers(plan)))
    .digest('hex')

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sortMembers(one)]),
  )
}

/** The organization's business hours as rules of a schedule. */
export function scheduleRules({ businessHours: { days, from, to } }: Required<GovernanceSpec>) {
  const on = [...new Set(days)]
    .map((day) => day % 7)
    .toSorted((a, b) => a - b)
    .join(',')
  const at = (time: string) => `${Number(time.slice(3))} ${Number(time.slice(0, 2)) % 24} * * `
  // A window that ends at midnight ends at the start of the next day.
  const ends =
    to === '24:00'
      ? [...new Set(days)]
          .map((day) => (day + 1) % 7)
          .toSorted((a, b) => a - b)
          .join(',')
      : on
  return [
    { action: 'start' as const, cron: at(from) + on },
    { action: 'stop' as const, cron: at(to) + ends },
  ]
}
