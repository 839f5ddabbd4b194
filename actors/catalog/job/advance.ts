/**
 * Advances a job from step to step. Each step is one call under an id of its own; answers to other calls are ignored.
 */
import { uuidOf } from '#engine/value/id.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { spaceRegistered } from '#streams/catalog.ts'
import type { Provider } from '#streams/names.ts'
import { refreshRequested } from '#streams/refresh.ts'
import { provisionStep } from '#actors/catalog/effect.ts'
import type { AwaitedStep, JobStep, ProvisioningJob } from '#actors/catalog/entity.ts'
import { enter, isOwn, isSkipped, jobOf, nextStep, phaseOf, remind, setStep, stepOf, findOutput } from './step.ts'

/** Milliseconds after which an unfinished step is abandoned. */
export const abandonedMs = 6 * 3_600_000

/** The id of a space, the same for everybody who names its place. */
export const spaceIdOf = (orgId: string, account: string, region: string, clusterUid: string | null): string =>
  uuidOf('space', orgId, account, region, clusterUid ?? '')

/** Requests the next step; steps without a call are done right away. */
export function advance(row: ProvisioningJob, turn: Turn): void {
  for (let step = nextStep(row); step; step = nextStep(row)) {
    const { name } = step
    row.currentStep = name
    if (isSkipped(row, name)) {
      setStep(row, name, { status: 'skipped', completedAt: turn.now.toISOString() })
      continue
    }
    beginStep(row, step, turn)
    enter(row, phaseOf(row.kind, name), turn)
    if (!isOwn(name)) return awaitStep(row, { step: name, isUndo: false }, turn)
    ownWork[name]?.(row, turn)
    succeed(row, name, {}, turn)
  }
  finish(row, turn)
}

/** Resets the step, except for how often it was started. */
function beginStep(row: ProvisioningJob, { id, name, attempts }: JobStep, turn: Turn): void {
  const begun: JobStep = { id, name, status: 'running', attempts: attempts + 1, startedAt: turn.now.toISOString() }
  row.steps = row.steps.map((one) => (one.name === name ? begun : one))
}

export function succeed(row: ProvisioningJob, step: string, output: Record<string, unknown>, turn: Turn): void {
  setStep(row, step, { status: 'succeeded', output, completedAt: turn.now.toISOString() })
  row.updatedAt = turn.now
}

export function awaitStep(row: ProvisioningJob, of: Pick<AwaitedStep, 'step' | 'isUndo'>, turn: Turn): void {
  row.awaited = { ...of, call: '', tries: 0, since: turn.now.toISOString() }
  remind(row, 'abandoned', new Date(turn.now.getTime() + abandonedMs), turn)
  ask(row, turn)
}

/** Requests the call of the awaited step, for the first time or again. */
export function ask(row: ProvisioningJob, turn: Turn): void {
  const { awaited } = row
  if (!awaited) return
  const attempt = stepOf(row, awaited.step)?.attempts ?? 1
  row.calls += 1
  const call = `${awaited.step}/${attempt}/${row.calls}`
  row.awaited = { ...awaited, call }
  row.updatedAt = turn.now
  const key = `provision/${turn.address.orgId}/${row.id}/${call}`
  turn.call(provisionStep, key, { ...jobOf(row), step: awaited.step, attempt, call })
}

/** Requests the call again after `ms` milliseconds. */
export function askLater(row: ProvisioningJob, change: Partial<AwaitedStep>, ms: number, turn: Turn): void {
  if (!row.awaited) return
  row.awaited = { ...row.awaited, ...change, call: '' }
  row.updatedAt = turn.now
  remind(row, 'again', new Date(turn.now.getTime() + ms), turn)
}

/** Stops waiting for a step. */
export function rest(row: ProvisioningJob, turn: Turn): void {
  row.awaited = null
  turn.forget('again')
  turn.forget('abandoned')
}

function finish(row: ProvisioningJob, turn: Turn): void {
  rest(row, turn)
  row.currentStep = null
  row.completedAt = turn.now
  enter(row, 'ready', turn)
}

const ownWork: Readonly<Record<string, (row: ProvisioningJob, turn: Turn) => void>> = {
  register_space: (row, turn) => {
    const clusterUid = clusterOf(row)
    if (clusterUid === undefined) return
    const { cloudAccountId, provider, region, id: jobId } = row
    const spaceId = spaceIdOf(turn.address.orgId, cloudAccountId, region, clusterUid)
    const name = findOutput(row.steps, 'name')
    turn.emit(spaceRegistered, {
      spaceId,
      cloudAccountId,
      provider,
      region,
      kind: 'cluster',
      clusterUid,
      name: (typeof name === 'string' && name !== '' ? name : row.name).slice(0, 100),
      jobId,
    })
  },
  resource_sync: refresh,
}

export function clusterOf({ steps }: ProvisioningJob): string | undefined {
  const uid = findOutput(steps, 'clusterUid')
  return typeof uid === 'string' && uid !== '' ? uid : undefined
}

/** Discovers the account, so that the inventory shows what was created or deleted. */
export function refresh({ cloudAccountId, provider }: ProvisioningJob, turn: Turn): void {
  const accounts = [{ cloudAccountId, provider: provider as Provider }]
  turn.emit(refreshRequested, { refreshId: turn.id(), accounts })
}
