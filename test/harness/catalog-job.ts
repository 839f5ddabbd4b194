/** A job of provisioning in memory, and a far side that answers as it is told to. */
import { provisioningActor } from '#actors/catalog/job/provisioning.ts'
import { nothingNeeded, type ProvisioningNeeds } from '#actors/catalog/needs.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'
import {
  provisioningBegun,
  provisioningCommanded,
  provisioningDue,
  provisionReported,
  type ProvisioningDueKind,
  type ProvisioningVerb,
  type StepFailure,
} from '#streams/catalog.ts'
import { makingSteps, type ProvisioningKind } from '#streams/cloud/provision.ts'
import { configs } from '#test/harness/catalog-config.ts'
import { MemoryActor, type Delivery, type Done } from '#test/harness/turn.ts'

export const jobId = '6b0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01'
const place = { cloudAccountId: 'acct-1', jobId }

export const failures = {
  throttled: { bucket: 'transient', code: 'throttled', message: 'Slow down.' },
  quota: {
    bucket: 'user_action',
    code: 'quota_exceeded',
    message: 'Too many.',
    fixHint: 'Ask for more.',
    consoleUrl: 'https://console.example.com/quotas',
  },
  unsupported: { bucket: 'system', code: 'unsupported_call', message: 'Not known.' },
} as const satisfies Record<string, StepFailure>

/** What becomes of one call: refused, lost on the way back after it was made, under way, or done. */
export type Answer = StepFailure | 'lost' | 'waiting' | 'done' | 'skipped'

export class Job {
  readonly actor = new MemoryActor(provisioningActor, { place: 'acct-1', key: jobId })
  readonly calls: string[] = []
  readonly mails: any[] = []
  /** What spaces and refreshes were told. */
  readonly told: { type: string; data: any }[] = []
  /** Steps that have made something, and what was taken away of it. */
  readonly made = new Set<string>()
  readonly taken = new Set<string>()
  /** The answers to come; done where there are none. */
  answers: Answer[] = []
  needs: Partial<ProvisioningNeeds> = {}
  /** Calls nobody has answered. */
  readonly open: any[] = []

  constructor(
    kind: ProvisioningKind,
    { config = {}, expiresAt = null as string | null, answers = [] as Answer[] } = {},
  ) {
    this.answers = answers
    const space = { cloudAccountId: 'acct-1', region: 'us-east-1', clusterUid: null, status: 'active' as const }
    this.needs = { space, admins: () => ['u-admin'] }
    const where = { spaceId: 'space-1', provider: 'aws', region: 'us-east-1', clusterUid: null }
    const what = { kind, name: 'Shop', config: { ...configs[kind], ...config }, tags: {}, expiresAt, userId: 'u-1' }
    this.take(provisioningBegun, { ...place, ...where, ...what })
  }

  get row() {
    return this.actor.state
  }

  get now(): number {
    return this.actor.now
  }

  /** `validate succeeded 1`, and so on. */
  get steps(): string[] {
    return this.row.steps.map(({ name, status, attempts }) => `${name} ${status} ${attempts}`)
  }

  /** With all that follows at once: what it tells itself, and the answers to its calls. */
  take<S extends TSchema>(subject: Subject<S>, data: Static<S>, delivery: Delivery = {}): Done {
    const done = this.actor.take(subject, data, { needs: { ...nothingNeeded, ...this.needs }, ...delivery })
    for (const { type, data: told } of done.emitted) {
      if (type === provisioningDue.name) this.due(told.what)
      else if (type === provisioningCommanded.name) this.take(provisioningCommanded, told, { at: this.now })
      else this.told.push({ type, data: told })
    }
    for (const { name, input } of done.calls) {
      if (name === 'mail-provisioning') this.mails.push(input)
      else this.answer(input)
    }
    return done
  }

  due(what: ProvisioningDueKind, at = this.now): Done {
    return this.take(provisioningDue, { ...place, what }, { at, reminder: what })
  }

  command(verb: ProvisioningVerb, userId = 'u-7'): Done {
    return this.take(provisioningCommanded, { ...place, verb, userId })
  }

  /** What the far side makes of a call; it knows by its token what it has made, and what it has taken away. */
  answer(input: any): void {
    const { step, call } = input
    this.calls.push(call)
    const answer = this.answers.shift() ?? 'done'
    const isUndo = this.row.phase === 'deleting'
    if (typeof answer !== 'object' && makingSteps.has(step)) (isUndo ? this.taken : this.made).add(step)
    if (answer === 'lost') return void this.open.push(input)
    const said =
      typeof answer === 'object'
        ? { status: 'failed' as const, failure: answer }
        : { status: answer, ...(answer === 'done' && !isUndo && { output: outputOf(step) }) }
    this.report(input, said)
  }

  report({ step, attempt, call }: any, said: Partial<Static<typeof provisionReported.schema>>, at = this.now): Done {
    return this.take(provisionReported, { ...place, step, attempt, call, status: 'done', ...said }, { at })
  }

  /** Things that are there. */
  get left(): number {
    return [...this.made].filter((step) => !this.taken.has(step)).length
  }

  /** Lets the time pass, with every reminder on the way. */
  pass(until: number): void {
    for (;;) {
      const [next] = [...this.actor.reminders].filter(([, at]) => at <= until).toSorted(([, a], [, b]) => a - b)
      if (!next) break
      const [what, at] = next
      this.actor.reminders.delete(what)
      this.due(what as ProvisioningDueKind, Math.max(at, this.now))
    }
    this.actor.now = Math.max(this.now, until)
  }
}

const outputOf = (step: string): Record<string, unknown> =>
  step === 'control_plane' ? { clusterUid: 'arn:shop', name: 'shop' } : { of: step }
