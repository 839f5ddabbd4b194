/**
 * Changes of channels, including those of the deprecated routes, and of people's mail preferences. Subscriptions are in
 * subscription-change.ts.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  EmailPreference,
  ReadMark,
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
import { lacksKey, type ChannelOptions, type ChannelType } from '#streams/notification/channel.ts'
import type { EventType } from '#streams/notification/event-type.ts'
import { addressMark } from '#streams/notification/link.ts'
import { checkedName } from '#streams/text.ts'

/** Maximum channels of an organization; those of the deprecated routes have the same limit of their own. */
const channelsMax = 100

export interface ConfigGiven extends ChannelOptions {
  /** Only for chats and webhooks. */
  webhookURL?: string
  /** Only for mail. */
  email?: string
  /** Another name for `email`. */
  address?: string
}

export interface ChannelTools {
  seal: Seal
  /** Whether webhooks may be in private networks and may use http:. */
  allowPrivate: boolean
  /** Whether the address needs no confirmation, because it is that of a member or in a domain of the organization. */
  isOwnAddress: boolean
}

const lockSql = 'select pg_advisory_xact_lock(hashtextextended(?, 0))'

/**
 * Serializes changes of an organization's channels and subscriptions, since they are counted and refer to each other.
 */
export const inTurn = async ({ em, orgId }: RecordChange): Promise<void> =>
  void (await em.execute(lockSql, [`notification ${orgId}`]))

/** A signing secret: this text itself is the key. */
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

/** @throws Fault `invalid` if the config does not fit the type, `refused` `too_many_channels` */
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
 * A new config replaces the old one, except that a missing address keeps the old address.
 * @throws Fault `missing`, `invalid` for another type or a config that does not fit the type
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

/** Failures of the old receiver say nothing about the new one: waiting deliveries continue. */
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

/** Deletes the channel and its subscriptions; waiting deliveries are given up. @throws Fault `missing` */
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

/** Posts are signed with a new secret from now on. Returns it. @throws Fault `missing` */
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

/**
 * The recipient unsubscribes from this channel and all others with the same address. False if the channel does not send
 * to it, or it was unsubscribed already.
 */
export async function silenceChannel({ em, orgId, now }: RecordChange, id: string, to: string): Promise<boolean> {
  const fixed = { orgId, type: 'email', isLegacy: false, unsubscribedAt: null } as const
  const channel = await em.findOne(NotificationChannel, { ...fixed, id }, { refresh: true })
  if (!channel || addressMark(channel.email) !== to) return false
  const all = await em.find(NotificationChannel, { ...fixed, email: channel.email }, { refresh: true })
  for (const one of all) one.unsubscribedAt = now()
  return true
}

/** @throws Fault `invalid` with one problem for each wrong member */
function configure(channel: NotificationChannel, config: ConfigGiven, tools: ChannelTools, now: Date): void {
  const { webhookURL, email, address, ...options } = config
  const problems = [...kindProblems(channel, config), ...optionProblems(options)]
  if (problems.length > 0) throw Fault.invalidAt(...problems)
  if (webhookURL !== undefined) postTo(channel, webhookURL, '/config/webhookURL', tools)
  const recipient = email ?? address
  if (recipient !== undefined) setRecipient(channel, recipient, tools, now)
  channel.options = options
}

/** Whether mail to the address may be sent by the channel as it is. */
export const isAgreed = ({ email, confirmedAt, unsubscribedAt }: NotificationChannel, to: string): boolean =>
  email === to && (confirmedAt ?? null) !== null && !unsubscribedAt

/** A recipient who has not confirmed, or has unsubscribed, is asked again each time the address is set. */
function setRecipient(channel: NotificationChannel, to: string, { isOwnAddress }: ChannelTools, now: Date): void {
  if (isAgreed(channel, to)) return
  const asked = isOwnAddress
    ? { confirmedAt: now, confirmNonce: '' }
    : { confirmedAt: null, confirmNonce: randomUUID() }
  Object.assign(channel, { email: to, unsubscribedAt: null, ...asked })
}

/** The recipient confirms with a link that works once. False if the link was used, or is for another address. */
export async function confirmChannel(
  { em, orgId, now }: RecordChange,
  { channelId: id, nonce, to }: { channelId: string; nonce: string; to: string },
): Promise<boolean> {
  const channel = nonce === '' ? null : await em.findOne(NotificationChannel, { orgId, id }, { refresh: true })
  if (!channel || channel.confirmNonce !== nonce || addressMark(channel.email) !== to) return false
  Object.assign(channel, { confirmedAt: now(), confirmNonce: '' })
  return true
}

/** Members that do not fit the channel's type, and required members that are missing. */
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

/** The address for people who may not change it: everything after the host is secret. */
const maskUrl = ({ protocol, host }: URL): string => `${protocol}//${host}/...`

/** The masked address leaves it unchanged. @throws Fault `invalid` at `path` */
function postTo(channel: NotificationChannel, url: string, path: string, { seal, allowPrivate }: ChannelTools): void {
  if (channel.webhookUrl && url === channel.webhookShown) return
  if (lacksKey(channel.type, url))
    throw Fault.invalidAt(
      problem(path, 'key_missing', `must end with # and the key of the ${channel.type} integration`),
    )
  try {
    channel.webhookShown = maskUrl(outsideUrl(url, allowPrivate))
  } catch (error) {
    throw Fault.invalidAt(problem(path, 'address_refused', Fault.from(error).message))
  }
  channel.webhookUrl = seal(webhookSealed, channel.orgId, url)
}

/** The flags of a legacy notification, and the event types they subscribe to (decision G-96). */
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

/**
 * Creates a hidden channel with a subscription for each flag. @throws Fault `invalid`, `refused` `too_many_channels`
 */
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

/** Missing members stay unchanged. @throws Fault `missing`, `invalid` */
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

const readSql = `
  insert into notification_read (org_id, user_id, read_until) values (?, ?, ?)
  on conflict (org_id, user_id) do update set read_until = greatest(notification_read.read_until, excluded.read_until)
  returning read_until`

/** The mark never goes back. Returns the mark that holds now. */
export async function setReadMark(
  { em, orgId }: Pick<RecordChange, 'em' | 'orgId'>,
  userId: string,
  until: Date,
): Promise<Date> {
  const [row] = await em.execute<{ read_until: Date | string }[]>(readSql, [orgId, userId, until.toISOString()])
  return new Date(row!.read_until)
}

/** For a person who is no longer a member. */
export async function dropPreferences(em: EntityManager, orgId: string, userId: string): Promise<void> {
  await em.nativeDelete(EmailPreference, { orgId, userId })
  await em.nativeDelete(ReadMark, { orgId, userId })
}
