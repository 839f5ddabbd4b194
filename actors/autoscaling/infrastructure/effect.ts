/**
 * Creates what the policies of an account need in its cloud. The cloud identifies it by the account, so a repeated call
 * finds it.
 */
import { callCloud } from '#actors/account/connection/call-cloud.ts'
import { enabledAccount } from '#actors/account/connection/cloud.ts'
import type { Tools } from '#actors/tools.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'
import { infrastructureReported } from '#streams/autoscaling.ts'
import type { Infrastructure } from '#streams/cloud/connector.ts'
import { providers } from '#streams/names.ts'
import { cleanText } from '#streams/cloud/call/failure.ts'
import { retries } from '#streams/retry.ts'

const CreateInput = t.Object({
  cloudAccountId: t.String(),
  provider: t.Enum(providers),
  attempt: t.Integer({ minimum: 1 }),
})
type CreateInput = Static<typeof CreateInput>

export const createInfrastructure = { name: 'create-infrastructure', schema: CreateInput } satisfies Effect

export type InfrastructureTools = Pick<Tools, 'reads' | 'publisher' | 'cloudOf' | 'open' | 'clock' | 'now'>

export const infrastructureWork = (tools: InfrastructureTools): EffectWork => ({
  name: createInfrastructure.name,
  pool: 'act',
  // Only temporary failures are retried. What people have to fix ends it at once; they request it again.
  retry: retries.scalingInfrastructure,
  run: (input, call) => create(tools, input as CreateInput, call),
  failed: (input, call, fault) =>
    tell(tools, input as CreateInput, call, { status: 'failed', message: wordsOf(fault) }),
})

async function create(tools: InfrastructureTools, input: CreateInput, call: EffectCall): Promise<void> {
  if (!(await isWanted(tools, input, call))) return
  const account = await enabledAccount(tools, input, call.orgId)
  if (!account) throw Fault.refused('capability_missing', 'The account is disabled.')
  const id = uuidOf('scaling-infrastructure', call.orgId, input.cloudAccountId)
  const { role, runtime } = await callCloud(tools, account, call, (cloud) =>
    cloud.createInfrastructure(account, { id }),
  )
  await tell(tools, input, call, { status: 'ready', role, runtime })
}

/** False if a newer try has replaced this one, or the account is gone. */
async function isWanted({ reads }: InfrastructureTools, input: CreateInput, { orgId }: EffectCall): Promise<boolean> {
  const rows = await reads.rows(
    `select from scaling_infrastructure where org_id = $1 and cloud_account_id = $2 and attempt = $3 and status = 'creating'`,
    [orgId, input.cloudAccountId, input.attempt],
  )
  return rows.length > 0
}

type InfrastructureReport = Pick<Static<typeof infrastructureReported.schema>, 'status' | 'message'> &
  Partial<Infrastructure>

async function tell(
  { publisher }: InfrastructureTools,
  { cloudAccountId, attempt }: CreateInput,
  call: EffectCall,
  told: InfrastructureReport,
): Promise<void> {
  const data = { cloudAccountId, attempt, role: null, runtime: null, ...told }
  await publisher.report({ subject: infrastructureReported, orgId: call.orgId, data, id: `${call.key}/ended` })
}

/** The message, with a hint on how to fix it. */
function wordsOf({ message, detail: { fixHint } }: Fault): string {
  const words = typeof fixHint === 'string' ? `${message} ${fixHint}` : message
  return cleanText(words, 2000)
}
