/** What calls for provisioning have in common: the account they go to, and what they make of an error. */
import type { AskingTools } from '#actors/account/connection/call-cloud.ts'
import { openEnabledAccount, type AccountRow } from '#actors/account/connection/cloud.ts'
import type { Tools } from '#actors/tools.ts'
import { Fault } from '#engine/value/fault.ts'
import type { StepFailure } from '#streams/catalog.ts'
import { cleanText, failureOf } from '#streams/cloud/call/failure.ts'
import { cloudFault, isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import { isProvider } from '#streams/names.ts'

export type CallTools = AskingTools & Pick<Tools, 'open' | 'seal' | 'report' | 'publicUrl'>

/** @throws a `user_action` fault where the account is gone or disabled */
export function accountOf(
  row: AccountRow & { provider: string },
  cloudAccountId: string,
  orgId: string,
  tools: CallTools,
): CloudAccount {
  const { provider } = row
  const account = isProvider(provider) ? openEnabledAccount(row, { cloudAccountId, provider }, orgId, tools) : undefined
  if (account) return account
  throw cloudFault('user_action', 'account_unavailable', 'The cloud account is disabled or no longer exists.', {
    fixHint: 'Enable or reconnect the account, then retry.',
    consoleUrl: accountUrl(tools, cloudAccountId),
  })
}

/** Where the cloud does not say what to do. */
const toMend = 'Fix the problem in the cloud as the message says, then retry.'

const consoles: Readonly<Partial<Record<string, string>>> = {
  aws: 'https://console.aws.amazon.com/',
  gcp: 'https://console.cloud.google.com/',
  azure: 'https://portal.azure.com/',
}

/** Where the account is mended, as this product has it. */
const accountUrl = ({ publicUrl }: Pick<CallTools, 'publicUrl'>, cloudAccountId: string): string =>
  `${publicUrl()}/cloud-accounts/${encodeURIComponent(cloudAccountId)}`

interface AccountRef {
  cloudAccountId: string
  /** Left out where nobody has read it. */
  provider?: string
}

/** Where to mend what the cloud does not say where to: its own pages, or the account where its credentials are refused. */
function consoleOf(
  error: unknown,
  tools: Pick<CallTools, 'publicUrl'>,
  { provider = '', cloudAccountId }: AccountRef,
): string {
  const page = isCredentialsRefused(error) ? undefined : consoles[provider]
  return page ?? accountUrl(tools, cloudAccountId)
}

/** What is neither a cloud's nor ours passes: no answer, a store that is away. */
export function stepFailureOf(error: unknown, tools: Pick<CallTools, 'publicUrl'>, about: AccountRef): StepFailure {
  const { kind, detail } = Fault.from(error)
  const { code, message, ...failure } = failureOf(error)
  const bucket = kind === 'transient' ? 'transient' : failure.bucket
  const isTheirs = bucket === 'user_action'
  const {
    fixHint = isTheirs ? toMend : undefined,
    consoleUrl = isTheirs ? consoleOf(error, tools, about) : undefined,
  } = detail
  return {
    bucket,
    code,
    message,
    ...(typeof fixHint === 'string' && { fixHint: cleanText(fixHint, 2000) }),
    ...(typeof consoleUrl === 'string' && { consoleUrl: cleanText(consoleUrl, 2000) }),
  }
}

export const unsupportedFault = (what: string): Fault =>
  cloudFault('system', 'unsupported_provisioning', `Provisioning of ${what} is not supported for this cloud yet.`)
