/** A job in memory whose calls are made by the product's own work, to a simulated cloud in memory. */
import { provisionWork } from '#actors/catalog/job/provision.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { Static } from '#engine/value/schema.ts'
import { provisionReported } from '#streams/catalog.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import type { PlannedFault } from '#streams/cloud/simulated/state/faults.ts'
import { Job } from '#test/harness/catalog-job.ts'

/** `lost`: the process ends before it says what came of the call, which is made anew later. `twice`: both are heard. */
export const fates = ['said', 'lost', 'twice'] as const
export type Fate = (typeof fates)[number]

type Said = Static<typeof provisionReported.schema>

export class CloudJob extends Job {
  readonly cloud: SimulatedCloud
  /** Calls that are to be made; the first comes while the job is still being made. */
  declare pending: any[]
  private readonly said: Said[] = []

  constructor(kind: ProvisioningKind, faults: readonly PlannedFault[] = [], at = Date.parse('2026-01-15T10:00:00Z')) {
    const kept: { job?: CloudJob } = {}
    const now = () => new Date(kept.job?.now ?? at)
    const cloud = simulatedCloud({ seed: 'tidemark', now, sleep: async () => {} })
    cloud.faults.set({ faults: [...faults] })
    super(kind)
    kept.job = this
    this.cloud = cloud
  }

  override answer(input: any): void {
    this.pending = [...(this.pending ?? []), input]
  }

  /** Makes the calls that wait, each with its fate, until nothing waits but the clock. */
  async work(fate: () => Fate = () => 'said'): Promise<void> {
    for (let input = this.pending.shift(); input; input = this.pending.shift()) {
      const chosen = fate()
      await this.run(input)
      if (chosen === 'twice') await this.run(input)
      const said = this.said.splice(0)
      if (chosen === 'lost') {
        this.pending.push(input)
        return
      }
      for (const data of said) this.take(provisionReported, data, { at: this.now })
    }
  }

  private async run(input: any): Promise<void> {
    const call: EffectCall = {
      key: `provision/${input.call}`,
      orgId: 'o1',
      attempt: 1,
      signal: new AbortController().signal,
    }
    await provisionWork(this.tools).run(input, call)
  }

  private get tools() {
    const never = (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
    return {
      reads: { rows: async (_sql: string, params: readonly unknown[]) => this.rows(params[3]) },
      publisher: { report: async ({ data }: { data: Said }) => void this.said.push(data) },
      cloudOf: () => this.cloud,
      clock: { now: () => this.now, sleep: never },
      now: () => new Date(this.now),
      publicUrl: () => 'https://tidemark.example',
      open: (_column: unknown, _org: string, sealed: string) => JSON.parse(sealed) as unknown,
      seal: (_column: unknown, _org: string, secret: unknown) => JSON.stringify(secret),
      report: { info: () => {}, warn: () => {}, error: () => {} },
    } as never
  }

  /** As the statement of the work has it. */
  private rows(call: unknown): object[] {
    const { awaited } = this.row
    if (awaited?.call !== call) return []
    const account = { name: 'A', external_id: '123456789012', regions: [], credentials: null, billing_export: null }
    return [
      Object.assign({}, this.row, account, { isUndo: awaited?.isUndo, status: 'connected', spaceStatus: 'active' }),
    ]
  }

  /** What was made, and what of it is there. */
  get things() {
    const made = this.cloud.madeFor('acct-1')
    return { steps: made.map(({ step }) => step), left: made.filter(({ goneAt }) => goneAt === undefined).length }
  }

  /** Calls that had an effect, twice under one name. */
  get doubled(): string[] {
    const ids = this.cloud.calls
      .filter(({ outcome, repeated, id }) => outcome === 'ok' && !repeated && id)
      .map(({ id }) => id!)
    return ids.filter((id, i) => ids.indexOf(id) !== i)
  }

  /** Nothing fails any more, and the time passes. */
  async settle(): Promise<void> {
    this.cloud.faults.set({ faults: [] })
    for (let i = 0; i < 100 && !ends.has(this.row.phase); i++) {
      await this.work()
      this.pass(this.now + 20_000)
    }
  }
}

const ends = new Set(['ready', 'failed', 'deleted', 'delete_failed'])
