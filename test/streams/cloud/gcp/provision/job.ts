/** Carries out the steps of a job as its actor does: again after a fault, and again while it has to wait. */
import { describe, provision, unprovision } from '#streams/cloud/gcp/provision/index.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'
import { bucketOf } from '#streams/cloud/connector.ts'
import {
  makingSteps,
  ownSteps,
  stepsOf,
  type ProvisioningKind,
  type ProvisionRequest,
} from '#streams/cloud/provision.ts'
import { account } from '#test/streams/cloud/gcp/far-google.ts'

export const jobId = '6b0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01'
/** Of everything that the job creates. */
export const ownName = 'tidemark-0f9f2b9f6a01'

export class Job {
  readonly outputs: Record<string, Record<string, unknown>> = {}
  readonly secrets: Record<string, string> = {}
  private readonly options: GcpOptions
  private readonly of: Pick<ProvisionRequest, 'jobId' | 'kind' | 'config'>

  constructor(options: GcpOptions, kind: ProvisioningKind, config: Record<string, unknown>, id = jobId) {
    this.options = options
    this.of = { jobId: id, kind, config }
  }

  request(step: string): ProvisionRequest {
    const tags = { team: 'Shop & Co', 'Cost:Center': '42' }
    return { ...this.of, step, region: 'us-central1', clusterUid: null, tags, outputs: this.outputs, token: step }
  }

  private async persist<T extends { status: string }>(call: () => Promise<T>, wait: (answer: T) => void): Promise<T> {
    for (let tries = 0; tries < 200; tries++) {
      try {
        const answer = await call()
        if (answer.status !== 'waiting') return answer
        wait(answer)
      } catch (error) {
        if (bucketOf(error) !== 'transient') throw error
      }
    }
    throw new Error('it never ends')
  }

  /** A step begins without the output of an earlier attempt. */
  async step(name: string): Promise<void> {
    delete this.outputs[name]
    const answer = await this.persist(
      () => provision(this.options, account, this.request(name)),
      ({ output }) => output && (this.outputs[name] = output),
    )
    this.outputs[name] = answer.output ?? {}
    Object.assign(this.secrets, answer.secrets)
  }

  async make(): Promise<void> {
    for (const step of stepsOf[this.of.kind].filter((one) => !ownSteps.has(one))) await this.step(step)
  }

  async unmake(): Promise<string[]> {
    const gone: string[] = []
    for (const step of stepsOf[this.of.kind].toReversed().filter((one) => makingSteps.has(one))) {
      const answer = await this.persist(
        () => unprovision(this.options, account, this.request(step)),
        () => {},
      )
      gone.push(...(answer.gone ?? []))
    }
    return gone
  }

  describe(): Promise<Record<string, unknown> | null> {
    const { step: _, token: __, ...request } = this.request('')
    return describe(this.options, account, request)
  }
}
