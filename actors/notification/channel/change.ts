/** Changes of channels, those of the deprecated routes too, and of what people want by mail. Subscriptions: subscription-change.ts. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  EmailPreference,
  NotificationChannel,
  NotificationSubscription,
  signingSealed,
  webhookSealed,
} from '#actors/notification/entity.ts'
import { foundChannel, foundLegacy, subscriptionsOf } from '#actors/notification/queries.ts'
import { Fault, type Problem } from '#engine/value/fault.ts'
import type { Seal } from '#engine/seal.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { isZone } from '#streams/cron/messages.ts'
import { outsideUrl } from '#streams/delivery/outbound.ts'
import { channelRemoved, channelTried } from '#streams/notification/messages.ts'
import type { ChannelOptions, ChannelType } from '#streams/notification/channel.ts'
import type { EventType } from '#streams/notification/event-type.ts'
import { addressMark } from '#streams/notification/link.ts'
import { checkedName } from '#streams/text.ts'

/** Of an organization; so many again by the deprecated routes. */
const channelsMax = 100

export interface ConfigGiven extends ChannelOptions {
  /** Of a chat. */
  webhookURL?: string
  /** Of mail. */
  email?: string
  /** Another name for `email`. */
  address?: string
}

export interface ChannelTools {
  seal: Seal
  /** Whether chats may be in private networks, and be posted to by http:. */
  allowPrivate: boolean
  /** Whether the address that is given needs nobody's word: it is that of a member, or in a domain of the organization. */
  isOwnAddress: boolean
}

const lockSql = 'select pg_advisory_xact_lock(hashtextextended(?, 0))'

/** Channels and subscriptions of an organization are changed one after another: they are counted, and name each other. */
export const inTurn = async ({ em, orgId }: RecordChange): Promise<void> =>
  void (await em.execute(lockSql, [`notification ${orgId}`]))

/** What posts are signed with: this text itself is the key. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`

async function checkRoom({ em, orgId }: RecordChange, isLegacy: boolean): Promise<void> {
  if ((await em.count(NotificationChannel, { orgId, isLegacy })) < channelsMax) return
  const what = isLegacy ? 'notifications' : 'channels'
  throw Fault.refused('too_many_channels', `An organization can have at most ${channelsMax} ${what}.`)
}

async function fresh(
  change: RecordChange,
  type: ChannelType,
  { seal }: ChannelTools,
  isLegacy = false,
): Promise<NotificationChannel> {
  const { em, orgId, now } = change
  await inTurn(change)
  await checkRoom(change, isLegacy)
  const [id, at] = [randomUUID(), now()]
  return em.create(NotificationChannel, {
    orgId,
    id,
    type,
    name: '',
    webhookUrl: null,
    signingSecret: seal(signingSealed, orgId, newSecret()),
    options: {},
    isLegacy,
    confirmedAt: null,
    confirmNonce: '',
    unsubscribedAt: null,
    createdAt: at,
    updatedAt: at,
  })
}

/** @throws Fault `invalid` for a config that is not one of its type, `refused` `too_many_channels` */
export async function makeChannel(
  change: RecordChange,
  { type, name, config, createdBy }: { type: ChannelType; name: string; config: ConfigGiven; createdBy: string },
  tools: ChannelTools,
): Promise<NotificationChannel> {
  const made = await fresh(change, type, tools)
  made.name = checkedName(name)
  made.createdBy = createdBy
  configure(made, config, tools, change.now())
  await change.em.persist(made).flush()
  return made
}

/**
 * A config that is given takes the place of the one before, but for its address: that stays where none is given.
 * @throws Fault `missing`, `invalid` for another type or for a config that is not one of its type
 */
export async function editChannel(
  change: RecordChange,
  id: string,
  { type, name, config }: { type?: ChannelType; name?: string; config?: ConfigGiven },
  tools: ChannelTools,
): Promise<NotificationChannel> {
  await inTurn(change)
  const channel = await foundChannel(change.em, change.orgId, id)
  if (type !== undefined && type !== channel.type)
    throw Fault.invalidAt({
      path: '/type',
      code: 'fixed',
      message: `cannot be changed from ${channel.type}: create another channel`,
    })
  if (name !== undefined) channel.name = checkedName(name)
  const { webhookUrl, email } = channel
  if (config !== undefined) configure(channel, config, tools, change.now())
  if (channel.webhookUrl !== webhookUrl || channel.email !== email) await tellRenewed(change, id)
  channel.updatedAt = change.now()
  return channel
}

/** What was wrong with the receiver of before says nothing of this one: what waits for it goes on. */
const tellRenewed = ({ tell, now }: RecordChange, channelId: string): Promise<void> =>
  tell(channelTried, {
    channelId,
    deliveryId: 'renewed',
    eventType: '',
    delivered: true,
    responseStatus: 0,
    message: '',
    at: now().toISOString(),
  })

/** With all of its subscriptions; what waits for it is given up. @throws Fault `missing` */
export async function removeChannel(
  change: RecordChange,
  id: string,
  found = foundChannel,
): Promise<NotificationChannel> {
  await inTurn(change)
  const { em, orgId, tell } = change
  const channel = await found(em, orgId, id)
  await em.nativeDelete(NotificationSubscription, { orgId, channelId: id })
  em.remove(channel)
  await tell(channelRemoved, { channelId: id })
  return channel
}

/** Posts are signed with the new one from now on. The secret. @throws Fault `missing` */
export async function renewSecret(
  change: RecordChange,
  id: string,
  { seal }: Pick<ChannelTools, 'seal'>,
): Promise<string> {
  const channel = await foundChannel(change.em, change.orgId, id)
  const secret = newSecret()
  channel.signingSecret = seal(signingSealed, change.orgId, secret)
  channel.updatedAt = change.now()
  return secret
}

/** Its recipient wants no more mails by it, nor by others to the same address. False where it sends none, or was told so before. */
export async function silenceChannel({ em, orgId, now }: RecordChange, id: string, to: string): Promise<boolean> {
  const fixed = { orgId, type: 'email', isLegacy: false, unsubscribedAt: null } as const
  const channel = await em.findOne(NotificationChannel, { ...fixed, id }, { refresh: true })
  if (!channel || addressMark(channel.email) !== to) return false
  const all = await em.find(NotificationChannel, { ...fixed, email: channel.email }, { refresh: true })
  for (const one of all) one.unsubscribedAt = now()
  return true
}

/** @throws Fault `invalid` naming each member that cannot be */
function configure(channel: NotificationChannel, config: ConfigGiven, tools: ChannelTools, now: Date): void {
  const { webhookURL, email, address, ...options } = config
  const problems = [...kindProblems(channel, config), ...optionProblems(options)]
  if (problems.length > 0) throw Fault.invalidAt(...problems)
  if (webhookURL !== undefined) postTo(channel, webhookURL, '/config/webhookURL', tools)
  const recipient = email ?? address
  if (recipient !== undefined) setRecipient(channel, recipient, tools, now)
  channel.options = options
}

/** Whether mails to the address may go out by the channel as it is. */
export const isAgreed = ({ email, confirmedAt, unsubscribedAt }: NotificationChannel, to: string): boolean =>
  email === to && (confirmedAt ?? null) !== null && !unsubscribedAt

/** Whoever has not agreed, or has said to get no more, is asked again each time that the address is given. */
function setRecipient(channel: NotificationChannel, to: string, { isOwnAddress }: ChannelTools, now: Date): void {
  if (isAgreed(channel, to)) return
  const asked = isOwnAddress
    ? { confirmedAt: now, confirmNonce: '' }
    : { confirmedAt: null, confirmNonce: randomUUID() }
  Object.assign(channel, { email: to, unsubscribedAt: null, ...asked })
}

/** The recipient agrees, by a link that works once. False for one that was used, or is of another address. */
export async function confirmChannel(
  { em, orgId, now }: RecordChange,
  { channelId: id, nonce, to }: { channelId: string; nonce: string; to: string },
): Promise<boolean> {
  const channel = nonce === '' ? null : await em.findOne(NotificationChannel, { orgId, id }, { refresh: true })
  if (!channel || channel.confirmNonce !== nonce || addressMark(channel.email) !== to) return false
  Object.assign(channel, { confirmedAt: now(), confirmNonce: '' })
  return true
}

/** What a chat takes and mail does not, and the other way round; what a channel cannot do without. */
function kindProblems(channel: NotificationChannel, { webhookURL, email, address }: ConfigGiven): Problem[] {
  const isMail = channel.type === 'email'
  const strange = (name: string, value: unknown): Problem[] =>
    value === undefined
      ? []
      : [problem(`/config/${name}`, 'not_for_type', `cannot be set for a channel of type ${channel.type}`)]
  const required = (name: string): Problem[] => [
    problem(`/config/${name}`, 'required', `is required for a channel of type ${channel.type}`),
  ]
  if (!isMail) {
    const isMissing = webhookURL === undefined && (channel.webhookUrl ?? null) === null
    return [...strange('email', email), ...strange('address', address), ...(isMissing ? required('webhookURL') : [])]
  }
  const isMissing = (email ?? address) === undefined && (channel.email ?? '') === ''
  const isTwice = email !== undefined && address !== undefined && email !== address
  return [
    ...strange('webhookURL', webhookURL),
    ...(isMissing ? required('email') : []),
    ...(isTwice ? [problem('/config/address', 'repeated', 'is another name for email: set only one of them')] : []),
  ]
}

function optionProblems({ timezone, quietHours }: ChannelOptions): Problem[] {
  const zone = (path: string, name: string | undefined): Problem[] =>
    name === undefined || isZone(name)
      ? []
      : [problem(path, 'zone_unknown', 'is not an IANA time zone, for example Europe/Berlin')]
  const isEmpty = quietHours !== undefined && quietHours.from === quietHours.to
  return [
    ...zone('/config/timezone', timezone),
    ...zone('/config/quietHours/timezone', quietHours?.timezone),
    ...(isEmpty ? [problem('/config/quietHours/to', 'range', 'must differ from the start time (from)')] : []),
  ]
}

const problem = (path: string, code: string, message: string): Problem => ({ path, code, message })

/** The address as people see it who may not change it: what is behind the host is the secret of it. */
const maskUrl = ({ protocol, host }: URL): string => `${protocol}//${host}/...`

/** One given as it is shown masked stays what it was. @throws Fault `invalid` at `path` */
function postTo(channel: NotificationChannel, url: string, path: string, { seal, allowPrivate }: ChannelTools): void {
  if (channel.webhookUrl && url === channel.webhookShown) return
  try {
    channel.webhookShown = maskUrl(outsideUrl(url, allowPrivate))
  } catch (error) {
    throw Fault.invalidAt(problem(path, 'address_refused', Fault.from(error).message))
  }
  channel.webhookUrl = seal(webhookSealed, channel.orgId, url)
}

/** The flags of a legacy notification, and the event types they are subscriptions to (decision G-96). */
export const legacyFlags = {
  notifyOnStart: 'resource.started',
  notifyOnStop: 'resource.stopped',
  notifyOnFailure: 'resource.failed',
  notifyOnOverride: 'resource.override',
} as const satisfies Record<string, EventType>
export type LegacyFlag = keyof typeof legacyFlags

export interface LegacyGiven extends Partial<Record<LegacyFlag, boolean>> {
  channel?: Exclude<ChannelType, 'email'>
  webhookURL?: string
}

const flagsOf = Object.entries(legacyFlags) as [LegacyFlag, EventType][]

/** A hidden channel with a subscription for each flag. @throws Fault `invalid`, `refused` `too_many_channels` */
export async function makeLegacy(
  change: RecordChange,
  given: LegacyGiven & Required<Pick<LegacyGiven, 'channel' | 'webhookURL'>>,
  tools: ChannelTools,
): Promise<NotificationChannel> {
  const { em, orgId } = change
  const made = await fresh(change, given.channel, tools, true)
  postTo(made, given.webhookURL, '/webhookURL', tools)
  const times = { createdAt: made.createdAt, updatedAt: made.createdAt }
  for (const [flag, eventType] of flagsOf) {
    const of = { orgId, id: randomUUID(), channelId: made.id, eventType, scopeType: 'org' as const, scopeId: '' }
    em.persist(em.create(NotificationSubscription, { ...of, enabled: given[flag] ?? false, ...times }))
  }
  await em.persist(made).flush()
  return made
}

/** What is left out stays. @throws Fault `missing`, `invalid` */
export async function editLegacy(
  change: RecordChange,
  id: string,
  given: LegacyGiven,
  tools: ChannelTools,
): Promise<NotificationChannel> {
  await inTurn(change)
  const { em, orgId } = change
  const channel = await foundLegacy(em, orgId, id)
  if (given.channel !== undefined) channel.type = given.channel
  const { webhookUrl } = channel
  if (given.webhookURL !== undefined) postTo(channel, given.webhookURL, '/webhookURL', tools)
  if (channel.webhookUrl !== webhookUrl) await tellRenewed(change, id)
  channel.updatedAt = change.now()
  const enabled = new Map<string, boolean | undefined>(flagsOf.map(([flag, type]) => [type, given[flag]]))
  for (const subscription of await subscriptionsOf(em, orgId, [channel])) {
    const wanted = enabled.get(subscription.eventType) ?? subscription.enabled
    if (wanted !== subscription.enabled) Object.assign(subscription, { enabled: wanted, updatedAt: channel.updatedAt })
  }
  await em.flush()
  return channel
}

/** @throws Fault `missing` */
export const removeLegacy = (change: RecordChange, id: string): Promise<NotificationChannel> =>
  removeChannel(change, id, foundLegacy)

/** Whether a person gets the built-in mail of an event type. */
export async function setPreference(
  { em, orgId, now }: Pick<RecordChange, 'em' | 'orgId' | 'now'>,
  of: { userId: string; eventKey: EventType },
  enabled: boolean,
): Promise<EmailPreference> {
  return em.upsert(EmailPreference, { orgId, ...of, enabled, updatedAt: now() })
}

/** Of one who is no member any more. */
export const dropPreferences = async (em: EntityManager, orgId: string, userId: string): Promise<void> =>
  void (await em.nativeDelete(EmailPreference, { orgId, userId }))
