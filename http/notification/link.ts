/** The pages behind links in messages: no sign-in is needed, the link is enough. */
import { confirmChannel, setPreference, silenceChannel } from '#actors/notification/channel/change.ts'
import { notificationDeliveries } from '#analytics/notification/questions.ts'
import { silenceReport } from '#actors/saved-view/change.ts'
import { dayMs } from '#engine/value/day.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { everyDelivery } from '#http/notification/delivery.ts'
import { isMember } from '#http/notification/preference.ts'
import { page, paragraph } from '#http/notification/page.ts'
import { escapeHtml } from '#streams/text.ts'
import type { Reply } from '#http/store/reply.ts'
import { asOrganization } from '#http/store/tenant.ts'
import { contentOf, moreOf, type Fact, type List } from '#streams/delivery/format/message.ts'
import { personOf, type NotificationEvent } from '#streams/notification/messages.ts'
import { eventTypeOf } from '#streams/notification/event-type.ts'
import { readLink, type LinkClaim } from '#streams/notification/link.ts'

/** Days for which a message can be read by its link. */
const viewDays = 30

const unknown = (): Reply<string> =>
  page(
    'This link does not work',
    paragraph('It is incomplete or has been modified. Open it again from the message.'),
    404,
  )

type Of<W extends LinkClaim['what']> = Extract<LinkClaim, { what: W }>

function claimOf<W extends LinkClaim['what']>(token: string, what: W, { linkSecrets }: Services): Of<W> | undefined {
  const claim = readLink(token, linkSecrets())
  return claim?.what === what ? (claim as Of<W>) : undefined
}

/** Runs `work` for the organization that the link was created for. */
const acting = <T>(orgId: string, services: Services, work: (services: Services) => Promise<T>): Promise<T> =>
  asOrganization(orgId, () => work(services.actingFor(orgId)))

const row = ([label, value]: Fact): string => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`

function listOf(list: List | undefined): string {
  if (!list) return ''
  const items = list.rows.map(({ title, line }) => `<li>${escapeHtml(title)}${line && `<br>${escapeHtml(line)}`}</li>`)
  const more = moreOf(list)
  return `<h2>${escapeHtml(list.label)}</h2><ul>${items.join('')}</ul>${more && paragraph(more)}`
}

/** The content of a delivery as in its message, with how to unsubscribe. */
function viewOf(event: NotificationEvent, deliveryId: string, publicUrl: string): Reply<string> {
  const { title, badge, when, lines, facts, cause, list, link } = contentOf({ event, deliveryId })
  const { type, id } = event.scope
  const about: Fact = ['Of', id === '' ? 'the organization' : `${type.replace('_', ' ')} ${id}`]
  const calls = [`${publicUrl}/notifications/deliveries/${encodeURIComponent(deliveryId)}`, ...(link ? [link] : [])]
  const parts = [
    paragraph([badge, when].filter(Boolean).join(', ')),
    ...lines.map(paragraph),
    `<dl>${[about, ...facts].map(row).join('')}</dl>`,
    cause && `<h2>Cause</h2>${cause.split('\n').map(paragraph).join('')}`,
    listOf(list),
    paragraph('For more, call the API with your token:'),
    ...calls.map((url) => `<p><code>GET ${escapeHtml(url)}</code></p>`),
  ]
  return page(title, parts.filter(Boolean).join('\n'))
}

async function view(token: string, services: Services): Promise<Reply<string>> {
  const claim = claimOf(token, 'event', services)
  if (!claim) return unknown()
  if (services.now().getTime() - Date.parse(claim.createdAt) > viewDays * dayMs)
    return page('This link has expired', paragraph(`Notifications can be opened by link for ${viewDays} days.`), 410)
  const { orgId, deliveryId: id } = claim
  // The log is ordered by time.
  const at = Date.parse(claim.createdAt)
  const near = { from_ms: at - dayMs, to_ms: at + dayMs }
  const [found] = await acting(orgId, services, ({ analytics }) =>
    analytics(notificationDeliveries, { ...everyDelivery, ...near, id, whole: 1 }),
  )
  if (!found)
    return page(
      'Not found',
      paragraph('This notification is no longer stored, or not yet available. Try again in a minute.'),
      404,
    )
  return viewOf(JSON.parse(found.whole_event) as NotificationEvent, id, services.publicUrl())
}

type Stop = Of<'unsubscribe'> | Of<'report'>

const stopOf = (token: string, services: Services): Stop | undefined =>
  claimOf(token, 'unsubscribe', services) ?? claimOf(token, 'report', services)

/** What a person unsubscribes from, as text; undefined for something that cannot have been mailed. */
function whatEnds(claim: Stop): string | undefined {
  if (claim.what === 'report') return 'this report by email'
  const { channelId, eventType } = claim
  if (personOf(channelId) === undefined) return 'emails from this channel'
  const known = eventTypeOf(eventType)
  return known && `emails about ${known.name}${known.category === 'cost_anomaly' ? ` (${known.key})` : ''}`
}

/** A repeat is allowed: a person who has unsubscribed and subscribed again may follow the link once more. */
async function switchOff(
  claim: Stop,
  services: Services,
  client: Request<unknown, unknown, unknown>['client'],
): Promise<void> {
  if (claim.what === 'report') {
    const { orgId, scheduleId, to } = claim
    await acting(orgId, services, ({ change }) => change((tx) => silenceReport(tx, scheduleId, to)))
    return
  }
  const { orgId, channelId, eventType, to } = claim
  const userId = personOf(channelId)
  const known = eventTypeOf(eventType)
  await acting(orgId, services, ({ change }) =>
    change(async (tx) => {
      if (userId !== undefined && known) {
        if (await isMember(tx.em, orgId, userId)) await setPreference(tx, { userId, eventKey: known.key }, false)
      } else if (await silenceChannel(tx, channelId, to)) {
        const detail = { channelID: channelId, change: 'unsubscribed' }
        await recordEvent(tx.em, { type: 'channel_changed', orgId, detail }, client, tx.now())
      }
    }),
  )
}

/** Days for which the link in a confirmation mail works. */
const confirmDays = 7

/** The claim of a link that is still valid, or a page that says why it is not. */
function confirmOf(token: string, services: Services): Of<'confirm'> | Reply<string> {
  const claim = claimOf(token, 'confirm', services)
  if (!claim) return unknown()
  if (services.now().getTime() - Date.parse(claim.createdAt) <= confirmDays * dayMs) return claim
  return page(
    'This link has expired',
    paragraph(`It works for ${confirmDays} days. Ask for the confirmation email to be sent again.`),
    410,
  )
}

const isPage = (found: object): found is Reply<string> => !('what' in found)

async function confirm(
  token: string,
  services: Services,
  client: Request<unknown, unknown, unknown>['client'],
): Promise<Reply<string>> {
  const claim = confirmOf(token, services)
  if (isPage(claim)) return claim
  const { orgId, channelId } = claim
  const isDone = await acting(orgId, services, ({ change }) =>
    change(async (tx) => {
      if (!(await confirmChannel(tx, claim))) return false
      const detail = { channelID: channelId, change: 'confirmed' }
      await recordEvent(tx.em, { type: 'channel_changed', orgId, detail }, client, tx.now())
      return true
    }),
  )
  if (isDone)
    return page(
      'Done',
      paragraph('Notifications are now sent to this address. Each of them has a link to unsubscribe.'),
    )
  return page(
    'This link has already been used',
    paragraph('It works once, and only for the address it was sent to.'),
    410,
  )
}

const routeBase = {
  permission: 'public',
  limit: 'inbound',
  secret: true,
  tags: ['Notifications'],
  media: 'text/html',
  reply: t.String(),
  query: t.Object({ token: t.String({ maxLength: 4096, description: 'as in the message' }) }),
} as const

export const notificationLinks: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/notifications/view',
    summary: 'View a notification as a page, for anyone with its link',
    description: `The link works for ${viewDays} days; after that it returns 410. A modified link returns 404.`,
    example: '<!doctype html><title>Budget Shop: 80% used</title>',
    handle: async ({ query: { token } }, services) => view(token, services),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/notifications/confirm',
    summary: 'Show the page to confirm email notifications from a channel; the page itself makes no changes',
    description: `For recipients who follow the link in the confirmation email; no token is required, the link is the proof. The button sends POST to the same URL. The link works for ${confirmDays} days; after that it returns 410.`,
    example: '<!doctype html><title>Receive these notifications?</title>',
    handle: async ({ query: { token } }, services) => {
      const claim = confirmOf(token, services)
      if (isPage(claim)) return claim
      const form = '<form method="post"><button type="submit">Confirm</button></form>'
      return page('Receive these notifications?', `${paragraph('Nothing is sent to you unless you confirm.')}\n${form}`)
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/notifications/confirm',
    summary: "Confirm email notifications from a channel; the action of the page's button",
    description:
      'Returns 410 if the link was already used, or if the channel now has another address. The body is ignored.',
    unread: true,
    example: '<!doctype html><title>Done</title>',
    handle: ({ query: { token }, client }, services) => confirm(token, services, client),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/notifications/unsubscribe',
    summary: 'Show the unsubscribe page; the page itself makes no changes',
    description:
      'For recipients who follow the link in an email; no token is required, the link is the proof. The button sends POST to the same URL. An unknown or modified link returns 404 with a page that explains it.',
    example: '<!doctype html><title>Unsubscribe?</title>',
    handle: async ({ query: { token } }, services) => {
      const claim = stopOf(token, services)
      const what = claim && whatEnds(claim)
      if (what === undefined) return unknown()
      // Without an action the form is sent to this same address.
      const form = '<form method="post"><button type="submit">Unsubscribe</button></form>'
      return page('Unsubscribe?', `${paragraph(`You will no longer receive ${what}.`)}\n${form}`)
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/notifications/unsubscribe',
    summary: "Unsubscribe from emails; the action of the page's button and of email clients (RFC 8058)",
    description:
      'Turns off the built-in email of the event type for its recipient, a scheduled report for its recipient, or all emails ' +
      'of the channel. The body is ignored: List-Unsubscribe=One-Click as a form of either kind, or none.',
    unread: true,
    example: '<!doctype html><title>You have unsubscribed</title>',
    handle: async ({ query: { token }, client }, services) => {
      const claim = stopOf(token, services)
      const what = claim && whatEnds(claim)
      if (what === undefined) return unknown()
      await switchOff(claim!, services, client)
      return page('Done', paragraph(`You will no longer receive ${what}.`))
    },
  }),
]
