/** People, and the edge that lets them: it knows of their roles what was so some seconds ago. */
import type { WorkflowJob } from '#actors/workflow/entity.ts'
import { actionWanted } from '#streams/action/messages.ts'
import { recommendationDecided } from '#streams/recommendation.ts'
import { workflowCancelled, workflowDecided, workflowWanted } from '#streams/workflow.ts'
import type { Person, Resource } from '#test/sim/workflow/plan.ts'
import type { World } from '#test/sim/workflow/world.ts'

export class Edge {
  private readonly world: World
  private readonly roles: Map<string, Person['role']>
  private asked = 0
  private begun = 0

  constructor(world: World) {
    this.world = world
    this.roles = new Map(world.plan.people.map(({ id, role }) => [id, role]))
  }

  /** The edge hears of it, later. */
  hear(user: string, role: Person['role']): void {
    this.world.scheduler.after(this.world.plan.edgeLagMs, () => this.roles.set(user, role))
  }

  private isAdmin(user: string): boolean {
    return this.roles.get(user) !== 'viewer'
  }

  begin({ uid, account }: Resource, user: string, times: number): void {
    for (let i = 0; i < times; i++) {
      const jobId = `j${++this.begun}`
      const data = {
        cloudAccountId: account,
        jobId,
        recommendationId: this.world.recommendationOf(uid),
        subjectType: 'resource' as const,
        subjectId: uid,
        userId: user,
      }
      this.ask(workflowWanted, data, `${user} begins ${jobId}`)
    }
  }

  decide(job: WorkflowJob, user: string, verdict: 'approve' | 'reject', isNamed: boolean): void {
    if (!this.isAdmin(user)) return
    const step = job.steps.find(({ id }) => id === job.stepId)
    if (!step) return
    const { cloudAccountId, id: jobId } = job
    const named = isNamed ? { stepName: step.name } : { stepId: step.id }
    const data = { cloudAccountId, jobId, ...named, verdict, userId: user }
    this.ask(workflowDecided, data, `${user} says ${verdict} to ${step.id} of ${jobId}`)
  }

  cancel({ cloudAccountId, id: jobId }: WorkflowJob, user: string): void {
    this.ask(workflowCancelled, { cloudAccountId, jobId, userId: user }, `${user} cancels ${jobId}`)
  }

  settle({ uid, account }: Resource, user: string, status: 'applied' | 'dismissed' | 'open'): void {
    const recommendationId = this.world.recommendationOf(uid)
    const data = { cloudAccountId: account, recommendationId, userId: user, status }
    this.ask(recommendationDecided, data, `${user} makes the recommendation of ${uid} ${status}`)
  }

  power({ uid, account }: Resource, user: string, action: 'start' | 'stop'): void {
    const actionId = `people-${++this.asked}`
    const source = { type: 'manual' as const, id: user, userId: user }
    const data = { actionId, cloudAccountId: account, resourceUid: uid, action, reason: null, source }
    this.ask(actionWanted, data, `${user} wants to ${action} ${uid}`)
  }

  /** Now and then it asks twice under the same id. */
  private ask(subject: object, data: object, what: string): void {
    const { world } = this
    const id = `edge-${++this.asked}`
    world.say(() => what)
    const answered = (answer: { ok: boolean; code?: string }) => {
      if (!answer.ok) world.say(() => `${what}: ${answer.code}`)
    }
    world.append(subject as never, data, { id, answered })
    if (world.random.chance(0.1))
      world.scheduler.after(world.random.below(5000), () => world.append(subject as never, data, { id, answered }))
  }
}
