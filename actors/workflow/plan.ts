/** What a workflow would do for a recommendation, worked out from committed rows alone: the preview and the job are the same. */
import { createHash } from 'node:crypto'
import type { GovernanceSpec } from '#actors/recommendation/governance.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { operationsOf } from '#streams/cloud/operation.ts'
import type { ActionType, Category } from '#streams/recommendation.ts'
import type { Status } from '#streams/resource.ts'
import type { ChangeWindow, TemplateName } from '#streams/workflow.ts'
import type { Plan, PlannedOp, Sight } from './entity.ts'
import { templates } from './template.ts'

/** A recommendation, as far as it is planned by. */
export interface Recommended {
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

/** Its resource in the inventory. */
export interface Planned {
  status: Status
  instanceType: string
  specs: Readonly<Record<string, unknown>>
  schedulable: boolean
}

/** What policies add. */
export interface Added {
  fourEyes: boolean
  windows: ChangeWindow[]
  policies: string[]
}

/** Types that are off while their size is changed. */
const isMachine = (type: string): boolean => operationsOf(type).has('resize')

/** What follows from the size, and is not set by itself. */
const followsSize = new Set(['vcpus', 'memory_gib'])

const sizeOf = (target: Readonly<Record<string, unknown>> | null): string | undefined => {
  const size = target?.['instance_type']
  return typeof size === 'string' ? size : undefined
}

/**
 * Which template carries a recommendation out. What no call of the service does is `manual`: what is bought, what people tag, what
 * the connectors have no operation for, and rules about policies of autoscalers.
 */
export function templateOf(of: Recommended, resource: Pick<Planned, 'schedulable'>): TemplateName {
  const { actionType, automation, ruleId, targetSpec, resourceType } = of
  const can = operationsOf(resourceType)
  if (automation === 'manual' || ruleId.startsWith('RC-ASC-')) return 'manual'
  const isSettable = targetSpec !== null && !('preset' in targetSpec) && can.has('set')
  switch (actionType) {
    case 'pause':
      return can.has('pause') ? 'pause' : 'manual'
    case 'delete':
      if (targetSpec !== null) return isSettable ? 'set' : 'manual'
      return ruleOf(ruleId)?.target.kind !== 'stop' && can.has('delete') ? 'delete' : 'manual'
    case 'stop':
      return (automation === 'executor' ? resource.schedulable : isSettable) ? 'stop' : 'manual'
    case 'schedule':
      if (!resource.schedulable) return 'manual'
      return targetSpec === null ? 'stop' : targetSpec['preset'] === 'business-hours' ? 'schedule' : 'manual'
    case 'resize':
    case 'change_type':
      return isSettable ? 'resize' : 'manual'
    case 'modify':
    case 'configure':
    case 'upgrade':
      return isSettable ? 'set' : 'manual'
    case 'purchase':
    case 'tag':
    case 'none':
      return 'manual'
  }
}

export function planOf(of: Recommended, resource: Planned, added: Added): Plan {
  const template = templateOf(of, resource)
  const ops = opsOf(template, of, resource)
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
    target: targetOf(ops),
    estimate: { costUsd: Number(of.currentCostUsd), savingsUsd: Number(of.savingsUsd) },
    instruction: template === 'manual' ? of.remediation : '',
    ...added,
  }
}

/** Behind all of it: what is said last of each thing. */
const targetOf = (ops: readonly PlannedOp[]): Sight =>
  ops.reduce<Sight>(
    (seen, { done }) => ({ ...seen, ...done, ...(done.specs && { specs: { ...seen.specs, ...done.specs } }) }),
    {},
  )

function opsOf(template: TemplateName, of: Recommended, resource: Planned): PlannedOp[] {
  const { resourceType, targetSpec } = of
  const here: Sight = { exists: true }
  switch (template) {
    case 'manual':
      return []
    case 'schedule':
      return [{ kind: 'schedule', expect: here, done: {} }]
    case 'start':
      return [{ kind: 'start', expect: here, done: { exists: true, status: 'running' } }]
    case 'stop':
      if (of.automation !== 'executor') return [setOp(targetSpec!, resource)]
      return [{ kind: 'stop', expect: here, done: { exists: true, status: 'stopped' } }]
    case 'pause':
      return [{ kind: 'pause', expect: before(resource), done: { exists: true, status: 'stopped' } }]
    case 'delete':
      return [
        ...(operationsOf(resourceType).has('snapshot')
          ? [{ kind: 'snapshot' as const, expect: before(resource), done: {} }]
          : []),
        { kind: 'delete', expect: before(resource), done: { exists: false } },
      ]
    case 'resize': {
      const size = sizeOf(targetSpec)
      return size !== undefined && isMachine(resourceType) ? resizeOps(size, resource) : [setOp(targetSpec!, resource)]
    }
    case 'set':
      return [setOp(targetSpec!, resource)]
  }
}

const before = ({ status, instanceType }: Planned): Sight => ({
  exists: true,
  ...(isKnown(status) && { status }),
  ...(instanceType !== '' && { instanceType }),
})

/** On its way, or not known, it is nothing to hold anybody to. */
const isKnown = (status: Status): boolean => status === 'running' || status === 'stopped'

/** Off, another size, on again: a machine that is off already stays so. */
function resizeOps(size: string, { status, instanceType }: Planned): PlannedOp[] {
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

function setOp(target: Readonly<Record<string, unknown>>, resource: Planned): PlannedOp {
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

/** Names a plan for good: of the same plan the same, in whatever order its members stand. */
export const hashOf = (plan: Plan): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(plan)))
    .digest('hex')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]))
}

/** The hours of the organization as rules of a schedule. */
export function scheduleRules({ businessHours: { days, from, to } }: Required<GovernanceSpec>) {
  const on = [...new Set(days)]
    .map((day) => day % 7)
    .toSorted()
    .join(',')
  const at = (time: string) => `${Number(time.slice(3))} ${Number(time.slice(0, 2)) % 24} * * `
  // What ends at midnight ends as the next day begins.
  const ends =
    to === '24:00'
      ? [...new Set(days)]
          .map((day) => (day + 1) % 7)
          .toSorted()
          .join(',')
      : on
  return [
    { action: 'start' as const, cron: at(from) + on },
    { action: 'stop' as const, cron: at(to) + ends },
  ]
}
