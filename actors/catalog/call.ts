/** Shared by provisioning calls: the account they go to, and how they classify errors. */
import type { AskingTools } from '#actors/account/connection/call-cloud.ts'
import { openEnabledAccount, type AccountRow } from '#actors/account/connection/cloud.ts'
import type { Tools } from '#actors/tools.ts'
import { Fault } from '#engine/value/fault.ts'
import type { StepFailure } from '#streams/catalog.ts'
import { cleanText, failureOf } from '#streams/cloud/call/failure.ts'
import { cloudFault, isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import { isProvider } from '#streams/names.ts'

export type CallTools = AskingTools & Pick<Tools, 'open' | 'seal' | 'report' | 'publicUrl' | 'executor'>

/** @throws a `user_action` fault if the account is gone or disabled */
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

/** For an error without a hint from the cloud. */
const toMend = 'Fix the problem in the cloud as the message says, then retry.'

const consoles: Readonly<Partial<Record<string, string>>> = {
  aws: 'https://console.aws.amazon.com/',
  gcp: 'https://console.cloud.google.com/',
  azure: 'https://portal.azure.com/',
}

/** The page of this product on which the account can be fixed. */
const accountUrl = ({ publicUrl }: Pick<CallTools, 'publicUrl'>, cloudAccountId: string): string =>
  `${publicUrl()}/cloud-accounts/${encodeURIComponent(cloudAccountId)}`

interface AccountRef {
  cloudAccountId: string
  /** Missing if it has not been read. */
  provider?: string
}

/**
 * Where to fix an error without a link from the cloud: the cloud's console, or the account here if its credentials are
 * refused.
 */
function consoleOf(
  error: unknown,
  tools: Pick<CallTools, 'publicUrl'>,
  { provider = '', cloudAccountId }: AccountRef,
): string {
  const page = isCredentialsRefused(error) ? undefined : consoles[provider]
  return page ?? accountUrl(tools, cloudAccountId)
}

/** Errors that are neither the cloud's nor ours are temporary: no answer, or a store that is unavailable. */
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
