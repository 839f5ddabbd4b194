/**
 * Replays questions to the guard from past days with two guardrails; each counts only what it has granted itself. Pure.
 */
import type { GuardLine } from '#analytics/workflow/questions.ts'
import type { ChangeWindow } from '#streams/workflow.ts'
import type { GuardAnswer, GuardRequest, Grounds } from './check.ts'
import { decide, grant, leave } from './decide.ts'
import type { Grant } from './entity.ts'
import type { Guardrail } from './guardrail.ts'

/** A question with the answers of both. */
export interface AskedAgain {
  line: GuardLine
  before: GuardAnswer
  after: GuardAnswer
}

/** Current data of the resources and jobs in the log. */
export interface ReplayGrounds {
  grounds: (asked: Pick<GuardRequest, 'cloudAccountId' | 'resourceUid'>) => Grounds
  /** Change windows from the policies of a workflow. */
  windows: (jobId: string) => readonly ChangeWindow[]
}

export const isAnswer = ({ event }: GuardLine): boolean =>
  event === 'guard_yes' || event === 'guard_later' || event === 'guard_no'

/** A workflow has ended, successfully or not. */
const isEnd = ({ event }: GuardLine): boolean => event === 'succeeded' || event === 'failed' || event === 'cancelled'

interface Side {
  guardrail: Guardrail
  grants: Grant[]
}

/** Takes the lines of the log, oldest first. Grants from before `fromMs` count for both guardrails. */
export class GuardReplay {
  private readonly known: ReplayGrounds
  private readonly fromMs: number
  private readonly before: Side
  private readonly after: Side
  private readonly approvers = new Map<string, Set<string>>()
  private readonly begun = new Set<string>()

  constructor(guardrails: { before: Guardrail; after: Guardrail }, fromMs: number, known: ReplayGrounds) {
    this.before = { guardrail: guardrails.before, grants: [] }
    this.after = { guardrail: guardrails.after, grants: [] }
    this.fromMs = fromMs
    this.known = known
  }

  /** The answers to a question within the days; undefined for any other line. */
  take(line: GuardLine): AskedAgain | undefined {
    const { job_id: jobId, event, actor } = line
    if (event === 'step_approved')
      this.approvers.set(jobId, (this.approvers.get(jobId) ?? new Set<string>()).add(actor))
    if (event === 'call_succeeded') this.begun.add(jobId)
    if (isEnd(line)) this.leave(line)
    if (!isAnswer(line)) return undefined
    if (line.ms >= this.fromMs) return { line, before: this.ask(this.before, line), after: this.ask(this.after, line) }
    if (event === 'guard_yes') this.grant(line)
    return undefined
  }

  /** As it was granted. */
  private grant(line: GuardLine): void {
    const asked = this.askedBy(line)
    const grounds = this.known.grounds(asked)
    for (const side of [this.before, this.after]) side.grants = grant(asked, side.grants, grounds, new Date(line.ms))
  }

  private ask(side: Side, line: GuardLine): GuardAnswer {
    const asked = this.askedBy(line)
    const grounds = { ...this.known.grounds(asked), guardrail: side.guardrail }
    const { answer, grants } = decide(asked, side.grants, grounds, new Date(line.ms))
    side.grants = grants
    // Lines of a job have increasing numbers, so none replaces a later one.
    return answer!
  }

  private leave({ job_id: jobId, n }: GuardLine): void {
    for (const side of [this.before, this.after]) side.grants = leave(side.grants, { jobId, n })
    this.approvers.delete(jobId)
    this.begun.delete(jobId)
  }

  private askedBy(line: GuardLine): GuardRequest {
    const { job_id: jobId, n, cloud_account_id: cloudAccountId, resource_uid: resourceUid, template } = line
    return {
      cloudAccountId,
      jobId,
      n,
      resourceUid,
      template,
      approvals: this.approvers.get(jobId)?.size ?? 0,
      costUsd: Math.max(0, Number(line.current_cost_usd)),
      windows: [...this.known.windows(jobId)],
      ...(this.begun.has(jobId) && { hasBegun: true }),
    }
  }
}
