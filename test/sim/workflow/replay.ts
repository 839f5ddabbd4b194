/** A workflow played again from the lines that were written of it. */
import type { WorkflowStep, WorkflowJob } from '#actors/workflow/entity.ts'
import { sameData } from '#engine/actor/row.ts'
import type { FactRow } from '#engine/actor/ports.ts'
import type { StepStatus } from '#streams/workflow.ts'

interface Line {
  n: number
  event: string
  step_id: string
  step_name: string
  actor: string
  reason: string
  x_Version: bigint
}

/** What differs, if anything. */
export function replayed(row: WorkflowJob, facts: readonly FactRow[]): string | undefined {
  const lines = newest(facts as unknown as Line[]).filter(({ n }) => n <= row.told)
  if (lines.some(({ n }, i) => n !== i + 1) || lines.length !== row.told)
    return `its lines are ${lines.map(({ n }) => n).join(', ')}, not 1 to ${row.told}`
  const play = new Play(row.steps)
  for (const line of lines) play.take(line)
  const is = Object.fromEntries(row.steps.map(({ id, status }) => [id, status]))
  if (play.status !== row.status) return `it is ${row.status}, and ${play.status} by its lines`
  if (!sameData(play.steps, is))
    return `its steps are ${JSON.stringify(is)}, and ${JSON.stringify(play.steps)} by its lines`
  const noted = lines.flatMap(({ event, step_name: stepName, actor }) =>
    event.startsWith('step_') ? [`${stepName} ${event.slice('step_'.length)} ${actor}`] : [],
  )
  const audited = row.audit.map(({ stepName, eventType, actor }) => `${stepName} ${eventType} ${actor}`)
  return sameData(noted, audited) ? undefined : `its audit is ${audited.join(', ')}, its lines say ${noted.join(', ')}`
}

/** Of lines of one number the newest. */
function newest(lines: readonly Line[]): Line[] {
  const found = new Map<number, Line>()
  for (const line of lines) {
    const known = found.get(line.n)
    if (!known || known.x_Version <= line.x_Version) found.set(line.n, line)
  }
  return [...found.values()].toSorted((a, b) => a.n - b.n)
}

const ends: readonly string[] = ['succeeded', 'failed', 'cancelled']

class Play {
  status: string = 'pending'
  readonly steps: Record<string, StepStatus>
  private readonly of: readonly WorkflowStep[]
  private readonly approved: Record<string, number> = {}

  constructor(of: readonly WorkflowStep[]) {
    this.of = of
    this.steps = Object.fromEntries(of.map(({ id }) => [id, 'pending']))
  }

  take(line: Line): void {
    const { event } = line
    if (event.startsWith('step_')) this.step(line, event.slice('step_'.length))
    else if (ends.includes(event)) this.end(event)
  }

  private step({ step_id: id }: Line, event: string): void {
    const step = this.of.find((one) => one.id === id)!
    if (event === 'created') {
      this.status = step.kind === 'approval' ? 'awaiting_user' : 'running'
      this.steps[id] = this.status as StepStatus
    } else if (event === 'approved') {
      this.approved[id] = (this.approved[id] ?? 0) + 1
      if (this.approved[id] >= (step.approvals ?? 1)) this.steps[id] = 'succeeded'
    } else {
      this.steps[id] = event === 'completed' ? 'succeeded' : (event as StepStatus)
    }
  }

  private end(status: string): void {
    if (ends.includes(this.status)) return
    this.status = status
    for (const [id, is] of Object.entries(this.steps)) {
      if (is === 'pending' || is === 'awaiting_user' || is === 'running') this.steps[id] = 'skipped'
    }
  }
}
