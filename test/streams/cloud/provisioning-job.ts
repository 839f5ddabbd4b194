/** Carries out the steps of a job as its actor does: again after a fault, and again while it has to wait. */
import { bucketOf, type CloudAccount } from '#streams/cloud/connector.ts'
import {
  makingSteps,
  ownSteps,
  stepsOf,
  type ProvisionAnswer,
  type ProvisionRequest,
  type UnprovisionAnswer,
} from '#streams/cloud/provision.ts'

export const jobId = '6b0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01'

/** The calls of a cloud. */
export interface ProvisioningCalls<Options> {
  provision: (options: Options, account: CloudAccount, request: ProvisionRequest) => Promise<ProvisionAnswer>
  unprovision: (options: Options, account: CloudAccount, request: ProvisionRequest) => Promise<UnprovisionAnswer>
  describe: (
    options: Options,
    account: CloudAccount,
    request: Omit<ProvisionRequest, 'step' | 'token'>,
  ) => Promise<Record<string, unknown> | null>
}

export interface JobPlace<Options> {
  calls: ProvisioningCalls<Options>
  options: Options
  account: CloudAccount
  region: string
  /** After a fault, before the step is tried again. */
  failed?: () => void
}

type JobSpec = Pick<ProvisionRequest, 'jobId' | 'kind' | 'config'> &
  Partial<Pick<ProvisionRequest, 'clusterUid' | 'objects'>>

export class ProvisioningRun<Options> {
  readonly outputs: Record<string, Record<string, unknown>> = {}
  readonly secrets: Record<string, string> = {}
  private readonly place: JobPlace<Options>
  private readonly of: JobSpec

  constructor(place: JobPlace<Options>, of: JobSpec) {
    this.place = place
    this.of = of
  }

  request(step: string): ProvisionRequest {
    const tags = { team: 'Shop & Co', 'Cost:Center': '42' }
    const { region } = this.place
    return { clusterUid: null, ...this.of, step, region, tags, outputs: this.outputs, token: step }
  }

  private async persist<T extends { status: string }>(call: () => Promise<T>, wait: (answer: T) => void): Promise<T> {
    for (let tries = 0; tries < 200; tries++) {
      try {
        const answer = await call()
        if (answer.status !== 'waiting') return answer
        wait(answer)
      } catch (error) {
        if (bucketOf(error) !== 'transient') throw error
        this.place.failed?.()
      }
    }
    throw new Error('it never ends')
  }

  /** A step begins without the output of an earlier attempt. */
  async step(name: string): Promise<void> {
    delete this.outputs[name]
    const { calls, options, account } = this.place
    const answer = await this.persist(
      () => calls.provision(options, account, this.request(name)),
      ({ output }) => output && (this.outputs[name] = output),
    )
    this.outputs[name] = answer.output ?? {}
    Object.assign(this.secrets, answer.secrets)
  }

  async make(): Promise<void> {
    for (const step of stepsOf[this.of.kind].filter((one) => !ownSteps.has(one))) await this.step(step)
  }

  async unmake(): Promise<string[]> {
    const { calls, options, account } = this.place
    const gone: string[] = []
    for (const step of stepsOf[this.of.kind].toReversed().filter((one) => makingSteps.has(one))) {
      let progress: Record<string, unknown> = {}
      const answer = await this.persist(
        () => calls.unprovision(options, account, { ...this.request(step), progress }),
        ({ output = progress }) => (progress = output),
      )
      gone.push(...(answer.gone ?? []))
    }
    return gone
  }

  describe(): Promise<Record<string, unknown> | null> {
    const { step: _, token: __, ...request } = this.request('')
    const { calls, options, account } = this.place
    return calls.describe(options, account, request)
  }
}
