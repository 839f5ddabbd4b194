/**
 * What follows when a cloud refuses an account's credentials: none of its resources can be observed until they are
 * renewed.
 */
import type { Tools } from '#actors/tools.ts'
import type { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { accountBlinded, accountBlinding, accountRefused } from '#streams/account/messages.ts'
import { refusalIn } from '#streams/cloud/connector.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { blindKey, blindedMax, type AccountNeeds } from '#actors/account/needs.ts'

/** Identifies one call to the cloud: `key` is the key of the effect. */
interface Of {
  orgId: string
  cloudAccountId: string
  key: string
}

/**
 * Runs `work`. If the cloud refuses the credentials, it notifies the account, with the time at which they were used.
 * @throws what `work` throws
 */
export async function noticingRefusal<T>(
  { publisher, now }: Pick<Tools, 'publisher' | 'now'>,
  { orgId, cloudAccountId, key }: Of,
  work: () => Promise<T>,
): Promise<T> {
  const time = now()
  try {
    return await work()
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal) {
      const data = { id: cloudAccountId, message: mendable(refusal) }
      // The refusal is thrown even if the account cannot be notified now: it is notified by the next call.
      await publisher.publish({ subject: accountRefused, orgId, data, id: `${key}/refused`, time }).catch(() => {})
    }
    throw error
  }
}

/** The message of a refusal, with the cloud's hint on how to fix it, if there is one. */
export function mendable({ message, detail }: Fault): string {
  const { fixHint } = detail
  return typeof fixHint === 'string' ? `${message} ${fixHint}` : message
}

/**
 * Marks the account as in error. A refusal from before the last successful verification is ignored: it may be about
 * other credentials.
 */
export function takeRefusal(
  account: CloudAccount,
  { message }: Static<typeof accountRefused.schema>,
  turn: Turn<AccountNeeds>,
): void {
  const { status, lastVerifiedAt } = account
  if (status === 'disabled' || status === 'deleted') return
  const works = account.permissionVerdict === 'read_only' || account.permissionVerdict === 'read_write'
  if (works && lastVerifiedAt && turn.message.time < lastVerifiedAt) return
  const { permissionVerdict: verdict, refusal } = account
  if (status !== 'error' || refusal)
    account.refusal = { at: turn.message.time.toISOString(), verdict: refusal?.verdict ?? verdict }
  account.permissionVerdict = 'none'
  account.message = message
  account.updatedAt = turn.now
  if (status !== 'error') blind(account, '', turn)
  account.status = 'error'
}

/**
 * A complete scan that began after the refusal shows that the same credentials work again: restores the verdict from
 * before the refusal. Returns true if the account is usable again and that verdict was known.
 */
export function letInAgain(account: CloudAccount, begun: Date | null | undefined): boolean {
  const { refusal, status } = account
  if (status !== 'error' || !refusal || !begun || begun <= new Date(refusal.at)) return false
  account.refusal = null
  account.permissionVerdict = refusal.verdict
  account.status = 'pending'
  if (refusal.verdict !== 'unknown') account.status = account.missingPermissions.length > 0 ? 'degraded' : 'connected'
  return account.status !== 'pending'
}

/**
 * Marks the next page of existing resources, with uids after `after`, as unobserved. Each page has a turn of its own.
 */
export function blind({ id }: CloudAccount, after: string, turn: Turn<AccountNeeds>): void {
  const uids = turn.needs.blind.get(blindKey(turn.address.orgId, id, after)) ?? []
  for (const resourceUid of uids) turn.emit(accountBlinded, { id, resourceUid })
  const last = uids.at(-1)
  if (uids.length === blindedMax && last !== undefined)
    turn.remind('blinding', turn.now, accountBlinding, { id, after: last })
}

/** Continues with the next page, unless the account works again. */
export function blindOn(
  account: CloudAccount,
  { after }: Static<typeof accountBlinding.schema>,
  turn: Turn<AccountNeeds>,
): void {
  if (account.status === 'error') blind(account, after, turn)
}
