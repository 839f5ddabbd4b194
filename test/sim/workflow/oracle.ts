/** What must be true of every call that reaches the far side, by what was decided and what is so there. */
import { sameData } from '#engine/actor/row.ts'
import type { CloudAction } from '#streams/cloud/connector.ts'
import type { Journalled } from '#test/sim/workflow/far.ts'
import { indexOf, type By, type Gate, type JobRecord, type Run, type Said } from '#test/sim/workflow/record.ts'
import type { World } from '#test/sim/workflow/world.ts'

const hourMs = 3_600_000

/** The rule has been asked once more before the first call, and has said what was planned. */
function againstFacts({ gathered, plan, effects }: JobRecord): string | undefined {
  if (effects.length > 0) return undefined
  const fires = ({ outcome, targetSpec }: Said) => outcome === 'fires' && sameData(targetSpec, plan.targetSpec)
  return gathered.said.some(fires) ? undefined : `its rule says ${JSON.stringify(gathered.said)}`
}

type Made = Pick<CloudAction, 'kind' | 'size' | 'specs'> & { uid: string }

export class Oracle {
  private readonly world: World
  /** When others changed a resource last. */
  private readonly foreign = new Map<string, number>()

  constructor(world: World) {
    this.world = world
  }

  touched(uid: string): void {
    this.foreign.set(uid, ++this.world.plain.moment)
  }

  /** A call is made by a run: whose it is, and what speaks against it. */
  made(run: Run, { kind, size, specs, resource }: CloudAction): By {
    const { ledger } = this.world
    const { jobId, call, index, intentId } = run.input
    const source = intentId === undefined ? undefined : ledger.sourceOf(intentId as string)
    const of = jobId === undefined ? source?.workflow : { jobId: jobId as string, call: call as string }
    const job = of && ledger.jobs.get(of.jobId)
    const by: By = { run, job, index: of ? (index ?? indexOf(of.call)) : 'undo', source, verdict: undefined }
    if (of)
      by.verdict = job
        ? this.against(by, { kind, uid: resource.resourceUid, ...(size && { size }), ...(specs && { specs }) })
        : 'of no workflow that has begun'
    return by
  }

  /** Also of what is no call to a cloud: the making of a schedule. */
  against(by: By, made: Made | undefined): string | undefined {
    const job = by.job!
    if (made?.kind === 'resize') job.isTried = true
    const { check } = by.run
    return !check
      ? 'nobody was asked whether it may be done'
      : (this.againstCheck(by.run, made) ?? this.againstJob(by, made, check))
  }

  private againstCheck({ check, look }: Run, made: Made | undefined): string | undefined {
    if (look && look.moment > check!.moment) return 'nobody was asked behind the look'
    return made && check!.time !== this.world.scheduler.now ? 'nobody was asked right before' : undefined
  }

  private againstJob(by: By, made: Made | undefined, check: NonNullable<Run['check']>): string | undefined {
    const job = by.job!
    if (job.stopped < check.moment) return `its workflow was over, ${job.status}`
    if (this.world.plain.wasHalted(check.moment)) return 'the kill switch was on'
    if (made?.kind === 'start') return this.againstStart(by)
    if (!job.grant || job.grant.moment > check.moment) return 'the guard has not let it'
    return (
      this.againstPlan(by, made) ??
      this.againstApprovals(job, check) ??
      againstFacts(job) ??
      this.againstSight(by, made) ??
      this.againstOrder(by, made)
    )
  }

  /** Its own size is there before it is started again, unless somebody else has changed it meanwhile. */
  private againstStart({ job, index }: By): string | undefined {
    if (index === 'undo') return undefined
    const { uid } = job!.resource
    const size = job!.plan.ops.find(({ kind }) => kind === 'resize')?.size
    const isSo = this.world.sky.of(uid).instanceType === size
    return isSo || this.foreign.has(uid) ? undefined : 'it is started before it is of another size'
  }

  private againstPlan({ job, index }: By, made: Made | undefined): string | undefined {
    const planned = job!.plan.ops[index as number]
    if (!made) return planned?.kind === 'schedule' ? undefined : 'it is not what was shown'
    const { kind, size, specs, uid } = made
    const isSame =
      planned?.kind === kind && planned.size === size && sameData(planned.specs, specs) && job!.resource.uid === uid
    return isSame ? undefined : 'it is not what was shown'
  }

  private againstApprovals(job: JobRecord, check: NonNullable<Run['check']>): string | undefined {
    const isFirst = job.effects.length === 0
    for (const gate of job.gates) {
      const people = new Set(this.good(job, gate, check, isFirst))
      if (people.size < gate.people)
        return `${people.size} of ${gate.people} have approved ${gate.stepId} and may: ${[...people].join(', ')}`
    }
    return undefined
  }

  private good(
    job: JobRecord,
    { stepId, hours }: Gate,
    { moment, at }: NonNullable<Run['check']>,
    isFirst: boolean,
  ): string[] {
    return job.approvals
      .filter((one) => one.stepId === stepId && one.moment < moment && (!isFirst || at < one.at + hours * hourMs))
      .filter(({ user }) => this.world.plain.wasAdmin(user, moment) && (!job.fourEyes || user !== job.starter))
      .map(({ user }) => user)
  }

  /** What is not started and stopped was looked at right before, and was as planned as far as the look told. */
  private againstSight({ run, job, index }: By, made: Made | undefined): string | undefined {
    if (!made || made.kind === 'stop') return undefined
    if (!run.look) return 'nobody has looked at it'
    const { seen } = run.look
    const { expect } = job!.plan.ops[index as number]!
    const isOther = (name: 'exists' | 'status' | 'instanceType') =>
      expect[name] !== undefined && seen[name] !== undefined && expect[name] !== seen[name]
    const specs = Object.entries(expect.specs ?? {})
    const isOtherSpec = specs.some(([name, value]) => seen.specs && name in seen.specs && seen.specs[name] !== value)
    const is = (['exists', 'status', 'instanceType'] as const).some(isOther) || isOtherSpec
    return is ? `it is another one: ${JSON.stringify(seen)}` : undefined
  }

  private againstOrder({ job, index }: By, made: Made | undefined): string | undefined {
    const last = job!.effects.findLast((one) => typeof one.index === 'number')?.index ?? 0
    if ((index as number) < (last as number)) return `it was at ${last} already`
    if (made?.kind !== 'delete' || !job!.resource.draft.ops.includes('snapshot')) return undefined
    const snapshot = job!.effects.find(({ kind }) => kind === 'snapshot')
    return snapshot && this.world.sky.wasDone(snapshot.id) ? undefined : 'there is no snapshot of it'
  }

  /** A call has arrived. */
  arrived({ id, kind, uid, by, hasEffect }: Journalled<By>): void {
    const { world } = this
    by.job?.arrived.add(kind)
    if (!hasEffect) return
    const { job, index, verdict } = by
    if (verdict !== undefined) world.broken(`${kind} of ${uid} by ${job?.id}: ${verdict}`)
    if (!job) return this.byOthers(kind, uid)
    if (index === 'undo' && !job.arrived.has('stop'))
      world.broken(`${uid} is started again by ${job.id}, which has not stopped it`)
    this.onceOnly(job, index, `${kind} of ${uid}`, uid)
    job.effects.push({ index, kind, id, moment: ++world.plain.moment })
  }

  private onceOnly(job: JobRecord, index: By['index'], what: string, uid: string): void {
    const before = job.effects.findLast((one) => one.index === index)
    if (!before) return
    // What others have changed back is done again, as it was approved.
    const isChanged = (this.foreign.get(uid) ?? 0) > before.moment
    if (!isChanged) this.world.broken(`${what} by ${job.id} is done twice`)
  }

  private byOthers(kind: CloudAction['kind'], uid: string): void {
    const { world } = this
    this.touched(uid)
    if (kind !== 'start') return
    const between = world.ledger.live().find((job) => {
      const has = (of: string) => job.effects.some((one) => one.kind === of)
      return job.resource.uid === uid && job.resource.draft.template === 'resize' && has('stop') && !has('start')
    })
    if (between?.isHeld) world.broken(`${uid} is started by others while ${between.id} changes its size`)
  }

  /** A schedule is made. */
  scheduled(by: By): void {
    const job = by.job!
    if (by.verdict !== undefined) this.world.broken(`a schedule of ${job.resource.uid} by ${job.id}: ${by.verdict}`)
    if (job.effects.length > 0) this.world.broken(`${job.id} makes its schedule twice`)
    job.effects.push({ index: 0, kind: 'schedule', id: job.id, moment: ++this.world.plain.moment })
  }
}
