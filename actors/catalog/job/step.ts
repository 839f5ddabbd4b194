/** The steps of a job: their phases, and updates of single steps. */
import type { Turn } from '#engine/actor/turn.ts'
import { provisioningDue, type ProvisioningDueKind, type ProvisioningPhase } from '#streams/catalog.ts'
import { ownSteps, stepsOf, type ProvisioningKind } from '#streams/cloud/provision.ts'
import type { JobStep, ProvisioningJob } from '#actors/catalog/entity.ts'

type StepPhase = 'validating' | 'provisioning' | 'configuring' | 'verifying'

/** Phases of steps that are not `creating` and are the same in all kinds. */
const phases: Readonly<Record<string, StepPhase>> = {
  validate: 'validating',
  quota_check: 'validating',
  secret: 'configuring',
  register_space: 'configuring',
  verify: 'verifying',
  resource_sync: 'verifying',
}

/** A phase never goes back: a cluster is verified before it becomes a space. */
export function phaseOf(kind: ProvisioningKind, step: string): StepPhase {
  if (kind === 'kubernetes' && step === 'verify') return 'configuring'
  if (kind === 'vm_pool' && step === 'load_balancer') return 'configuring'
  return phases[step] ?? 'provisioning'
}

export const freshSteps = (kind: ProvisioningKind): JobStep[] =>
  stepsOf[kind].map((name) => ({ id: name, name, status: 'pending', attempts: 0 }))

export const isOwn = (step: string): boolean => ownSteps.has(step)

/** Whether nothing is requested that needs the step. */
export const isSkipped = ({ kind, config }: ProvisioningJob, step: string): boolean =>
  kind === 'vm_pool' && step === 'load_balancer' && config['createLoadBalancer'] !== true

export const nextStep = ({ steps }: ProvisioningJob): JobStep | undefined =>
  steps.find(({ status }) => status !== 'succeeded' && status !== 'skipped')

export const stepOf = ({ steps }: ProvisioningJob, name: string): JobStep | undefined =>
  steps.find((step) => step.name === name)

/** Never changes the stored step in place. */
export function setStep(row: ProvisioningJob, name: string, change: Partial<JobStep>): void {
  row.steps = row.steps.map((step) => (step.name === name ? { ...step, ...change } : step))
}

export function enter(row: ProvisioningJob, phase: ProvisioningPhase, turn: Turn): void {
  row.phase = phase
  row.updatedAt = turn.now
}

export const jobOf = ({ cloudAccountId, id }: Pick<ProvisioningJob, 'cloudAccountId' | 'id'>) => ({
  cloudAccountId,
  jobId: id,
})

export const remind = (row: ProvisioningJob, what: ProvisioningDueKind, at: Date, turn: Turn): void =>
  turn.remind(what, at, provisioningDue, { ...jobOf(row), what })

/** Outputs of all steps so far, by step. */
export const outputsOf = (steps: readonly JobStep[]): Record<string, Record<string, unknown>> =>
  Object.fromEntries(steps.flatMap(({ name, output }) => (output ? [[name, output]] : [])))

/** The value of an output; if several steps have it, the last one counts. */
export function findOutput(steps: readonly JobStep[], name: string): unknown {
  return steps.findLast(({ output }) => output?.[name] !== undefined)?.output?.[name]
}
