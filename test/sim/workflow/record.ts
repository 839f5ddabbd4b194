/** A plain record of workflows: what people were shown, what they decided and when, what was called. No row of an actor is asked again. */
import type { WorkflowPlan as Planned, WorkflowStep, WorkflowJob } from '#actors/workflow/entity.ts'
import { uuidOf } from '#engine/value/id.ts'
import { deepCopy } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import type { actionWanted, ActionSource } from '#streams/action/messages.ts'
import { intentIdOf } from '#streams/action/exec.ts'
import type { CloudAction, Look } from '#streams/cloud/connector.ts'
import type { WorkflowStatus } from '#streams/workflow.ts'
import type { Resource } from '#test/sim/workflow/plan.ts'

export interface Gate {
  stepId: string
  people: number
  hours: number
}

export interface Approved {
  moment: number
  /** Milliseconds since 1970. */
  at: number
  user: string
  stepId: string
}

export interface Effected {
  index: number | 'undo'
  kind: CloudAction['kind'] | 'schedule'
  id: string
  moment: number
}

export interface Said {
  outcome: string
  targetSpec: Record<string, unknown> | null
}

export interface JobRecord {
  id: string
  resource: Resource
  recommendationId: string
  starter: string
  /** As people were shown it when it had begun. */
  plan: Planned
  steps: readonly WorkflowStep[]
  gates: readonly Gate[]
  fourEyes: boolean
  approvals: Approved[]
  /** Since when it is over, or somebody has said that it shall be. */
  stopped: number
  status: WorkflowStatus
  grant: { moment: number; at: number; n: number } | undefined
  /** What its rule said when it was asked last, at each try of that. */
  gathered: { n: number; said: Said[] }
  effects: Effected[]
  /** Kinds of its calls that have arrived, with an effect or without. */
  arrived: Set<string>
  /** Nobody else starts it, once it was to be stopped. */
  isHeld: boolean
  /** Whether its size was to be changed, and whether it was to be started again behind that. */
  isTried: boolean
  isUndone: boolean
  /** When all of it was done while the recommendation was open, milliseconds since 1970. */
  doneAt: number | undefined
  /** Something of it was so already. */
  wasSo: boolean
  /** Looks that told nothing. */
  wasBlind: boolean
}

/** What one run of a call has asked, last. */
export interface Run {
  name: string
  key: string
  input: Record<string, any>
  check: { moment: number; at: number; time: number } | undefined
  look: { moment: number; seen: Look } | undefined
}

/** Whose a call is. */
export interface By {
  run: Run
  job: JobRecord | undefined
  index: number | 'undo'
  source: ActionSource | undefined
  /** What speaks against it. */
  verdict: string | undefined
}

type Wanted = Static<typeof actionWanted.schema>

/** `stop/execute/1/0/2` is the second try of the first operation. */
export function indexOf(call: string): number | 'undo' {
  const index = call.split('/').at(-2)!
  return index === 'undo' ? 'undo' : Number(index)
}

export class Ledger {
  readonly jobs = new Map<string, JobRecord>()
  /** Who asked, by the name of the try. */
  private readonly intents = new Map<string, ActionSource>()
  private readonly actions = new Set<string>()

  begun(row: WorkflowJob, resource: Resource, gates: readonly Gate[], fourEyes: boolean): JobRecord {
    const job: JobRecord = {
      id: row.id,
      resource,
      recommendationId: row.recommendationId,
      starter: row.createdBy,
      plan: deepCopy(row.plan),
      steps: deepCopy(row.steps),
      gates,
      fourEyes,
      approvals: [],
      stopped: Infinity,
      status: row.status,
      grant: undefined,
      gathered: { n: 0, said: [] },
      effects: [],
      arrived: new Set(),
      isHeld: false,
      isTried: false,
      isUndone: false,
      doneAt: undefined,
      wasSo: false,
      wasBlind: false,
    }
    this.jobs.set(row.id, job)
    return job
  }

  /** Behind it each of its tries is known by its name. */
  wanted({ actionId, resourceUid, source }: Wanted): void {
    if (this.actions.has(actionId)) return
    this.actions.add(actionId)
    for (const attempt of ['1', '2', '3'])
      this.intents.set(intentIdOf(uuidOf('intent', actionId, attempt), resourceUid), source)
  }

  sourceOf(intentId: string): ActionSource | undefined {
    return this.intents.get(intentId)
  }

  live(): JobRecord[] {
    return [...this.jobs.values()].filter(({ status }) => !['succeeded', 'failed', 'cancelled'].includes(status))
  }
}
