/** What a cloud that refuses an account's credentials means for the account: nothing of it can be seen until they are renewed. */
import type { Tools } from '#actors/tools.ts'
import type { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { accountBlinded, accountBlinding, accountRefused } from '#streams/account/messages.ts'
import { refusalIn } from '#streams/cloud/connector.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { blindKey, blindedMax, type AccountNeeds } from '#actors/account/needs.ts'

/** Of one call to the cloud: `key` is the effect's. */
interface Of {
  orgId: string
  cloudAccountId: string
  key: string
}

/** Does `work`; tells the account where the cloud refuses its credentials, as of the moment they were shown, and throws on. */
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
      // What the cloud has said counts also where nobody can be told of it now: the account hears of the next one.
      await publisher.publish({ subject: accountRefused, orgId, data, id: `${key}/refused`, time }).catch(() => {})
    }
    throw error
  }
}

/** The message of a refusal, and what to do about it where the cloud says that. */
export function mendable({ message, detail }: Fault): string {
  const { fixHint } = detail
  return typeof fixHint === 'string' ? `${message} ${fixHint}` : message
}

/** What was shown before the credentials were last found to work says nothing of those. */
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

/** A scan that began behind the refusal and saw something was let in by the same credentials: they are good for what they were. True where that is known. */
export function letInAgain(account: CloudAccount, begun: Date | null | undefined): boolean {
  const { refusal, status } = account
  if (status !== 'error' || !refusal || !begun || begun <= new Date(refusal.at)) return false
  account.refusal = null
  account.permissionVerdict = refusal.verdict
  account.status = 'pending'
  if (refusal.verdict !== 'unknown') account.status = account.missingPermissions.length > 0 ? 'degraded' : 'connected'
  return account.status !== 'pending'
}

/** Tells the next present resources behind the uid `after` that nobody sees them, and goes on in a turn of its own. */
export function blind({ id }: CloudAccount, after: string, turn: Turn<AccountNeeds>): void {
  const uids = turn.needs.blind.get(blindKey(turn.address.orgId, id, after)) ?? []
  for (const resourceUid of uids) turn.emit(accountBlinded, { id, resourceUid })
  const last = uids.at(-1)
  if (uids.length === blindedMax && last !== undefined)
    turn.remind('blinding', turn.now, accountBlinding, { id, after: last })
}

/** No more of them once the account is mended. */
export function blindOn(
  account: CloudAccount,
  { after }: Static<typeof accountBlinding.schema>,
  turn: Turn<AccountNeeds>,
): void {
  if (account.status === 'error') blind(account, after, turn)
}
