/** What a resource is, what is found of it, and what its workflow should come to: one draft for each template. */
import type { OperationKind } from '#streams/cloud/resource/operation.ts'
import type { Finding } from '#streams/recommendation.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import type { TemplateName } from '#streams/workflow.ts'

export interface Draft {
  name: string
  template: TemplateName
  type: string
  schedulable: boolean
  /** As the far side has it at first. */
  status: ResourceStatus
  instanceType: string
  specs: Record<string, unknown>
  finding: Pick<Finding, 'actionType' | 'automation' | 'targetSpec'>
  /** What the rule may say later. */
  restated: Record<string, unknown> | null
  /** What is called, in order. */
  ops: readonly (OperationKind | 'start' | 'schedule')[]
}

const machine = { type: 'aws-ec2', schedulable: true, instanceType: 'm5.2xlarge', specs: {} } as const
const smaller = { instance_type: 'm5.large', vcpus: 2, memory_gib: 8 }
const smallest = { instance_type: 't3.small', vcpus: 2, memory_gib: 2 }
const resize = { actionType: 'resize', automation: 'api', targetSpec: smaller } as const
const volume = { type: 'aws-ebs-volume', schedulable: false, status: 'running', instanceType: '' } as const

export const drafts: readonly Draft[] = [
  {
    name: 'stop',
    template: 'stop',
    ...machine,
    status: 'running',
    finding: { actionType: 'stop', automation: 'executor', targetSpec: null },
    restated: null,
    ops: ['stop'],
  },
  {
    name: 'resize of what runs',
    template: 'resize',
    ...machine,
    status: 'running',
    finding: resize,
    restated: smallest,
    ops: ['stop', 'resize', 'start'],
  },
  {
    name: 'resize of what is off',
    template: 'resize',
    ...machine,
    status: 'stopped',
    finding: resize,
    restated: smallest,
    ops: ['resize'],
  },
  {
    name: 'resize of what stays on',
    template: 'resize',
    type: 'aws-rds',
    schedulable: true,
    status: 'running',
    instanceType: 'm5.2xlarge',
    specs: { volume_type: 'gp2' },
    finding: resize,
    restated: smallest,
    ops: ['set'],
  },
  {
    name: 'stop by a setting',
    template: 'stop',
    type: 'aws-lambda',
    schedulable: false,
    status: 'running',
    instanceType: '',
    specs: { provisioned: 5 },
    finding: { actionType: 'stop', automation: 'api', targetSpec: { provisioned: 0 } },
    restated: { provisioned: 1 },
    ops: ['set'],
  },
  {
    name: 'set',
    template: 'set',
    ...volume,
    specs: { volume_type: 'gp2', iops: 100 },
    finding: { actionType: 'modify', automation: 'api', targetSpec: { volume_type: 'gp3', iops: 3000 } },
    restated: { volume_type: 'st1', iops: 3000 },
    ops: ['set'],
  },
  {
    name: 'delete with a snapshot',
    template: 'delete',
    ...volume,
    specs: { volume_type: 'gp2' },
    finding: { actionType: 'delete', automation: 'api', targetSpec: null },
    restated: null,
    ops: ['snapshot', 'delete'],
  },
  {
    name: 'delete',
    template: 'delete',
    ...volume,
    type: 'aws-eip',
    specs: {},
    finding: { actionType: 'delete', automation: 'api', targetSpec: null },
    restated: null,
    ops: ['delete'],
  },
  {
    name: 'pause',
    template: 'pause',
    type: 'azure-synapse-sql-pool',
    schedulable: true,
    status: 'running',
    instanceType: '',
    specs: {},
    finding: { actionType: 'pause', automation: 'pause_service', targetSpec: null },
    restated: null,
    ops: ['pause'],
  },
  {
    name: 'schedule',
    template: 'schedule',
    ...machine,
    status: 'running',
    finding: { actionType: 'schedule', automation: 'api', targetSpec: { preset: 'business-hours' } },
    restated: null,
    ops: ['schedule'],
  },
  {
    name: 'manual',
    template: 'manual',
    ...machine,
    status: 'running',
    finding: { actionType: 'purchase', automation: 'manual', targetSpec: null },
    restated: null,
    ops: [],
  },
]

/** What the rule of a draft says of a resource. */
export function findingOf(uid: string, { type, finding }: Draft, more: Partial<Finding> = {}): Finding {
  return {
    resourceUid: uid,
    resourceName: uid,
    resourceType: type,
    provider: type.split('-')[0]!,
    region: 'us-east-1',
    resourceGroup: '',
    ruleId: `RC-${uid}`,
    category: 'idle',
    severity: 'medium',
    title: `Change ${uid}.`,
    titleFrom: '',
    titleTo: '',
    description: '',
    remediation: 'Ask whoever bought it.',
    consoleUrl: '',
    ...finding,
    effect: 'outage',
    destructive: true,
    currentCostUsd: 100,
    savingsUsd: 40,
    grossSavingsUsd: 40,
    confidence: 1,
    priority: 10,
    evidence: {},
    specs: {},
    tierRates: null,
    resourceTags: {},
    heldBackBy: '',
    ...more,
  }
}
