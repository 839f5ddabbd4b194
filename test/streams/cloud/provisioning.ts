/** The simulated cloud with a clock that is moved by hand, and jobs that are provisioned at it. */
import type { Fault } from '#engine/value/fault.ts'
import { bucketOf, type CloudAccount } from '#streams/cloud/connector.ts'
import { ownSteps, stepsOf, type ProvisioningKind, type ProvisionRequest } from '#streams/cloud/provision.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { configs } from '#test/harness/catalog-config.ts'

const at = Date.parse('2026-03-16T10:30:00Z')
export const second = 1000

/** The simulated cloud, its clock moved by hand. */
export const cloud = (folder?: string) => {
  const clock = { at }
  const sim = simulatedCloud({
    seed: 'tidemark',
    now: () => new Date(clock.at),
    sleep: async () => {},
    ...(folder !== undefined && { folder }),
  })
  return { sim, clock }
}

/** An account that its producers feed. */
export const foreign: CloudAccount = {
  id: 'acct-1',
  orgId: 'org',
  provider: 'aws',
  externalId: '123456789012',
  name: 'Production',
  regions: [],
  credentials: null,
}
export const staging: CloudAccount = { ...foreign, externalId: 'sim-aws-staging', name: 'simulated-aws-staging' }

export const jobId = '6b0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01'
export const request = (
  kind: ProvisioningKind,
  step: string,
  fields: Partial<ProvisionRequest> = {},
): ProvisionRequest => ({
  jobId,
  kind,
  step,
  region: 'us-east-1',
  clusterUid: null,
  config: configs[kind],
  tags: { team: 'shop' },
  outputs: {},
  token: `${fields.jobId ?? jobId}/${step}`,
  ...fields,
})

export const code = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
    return 'ok'
  } catch (error) {
    return `${bucketOf(error)} ${(error as Fault).code}`
  }
}

/** All steps of a job, the clock moved on while the cloud is at one; what each told. */
export async function provisioned(
  { sim, clock }: ReturnType<typeof cloud>,
  account: CloudAccount,
  kind: ProvisioningKind,
  fields: Partial<ProvisionRequest> = {},
): Promise<Record<string, Record<string, unknown>>> {
  const outputs: Record<string, Record<string, unknown>> = {}
  for (const step of stepsOf[kind].filter((one) => !ownSteps.has(one))) {
    for (let looks = 0; looks < 5; looks++) {
      const { status, output = {} } = await sim.provision(account, request(kind, step, { ...fields, outputs }))
      outputs[step] = output
      if (status !== 'waiting') break
      clock.at += 15 * second
    }
  }
  return outputs
}

export const discovered = async (sim: SimulatedCloud, account: CloudAccount) => {
  const found = []
  for await (const page of sim.discover(account).pages) found.push(...page)
  return found
}
export const madeBy = (sim: SimulatedCloud) =>
  sim.madeFor('acct-1').map(({ step, goneAt }) => [step, goneAt !== undefined])
