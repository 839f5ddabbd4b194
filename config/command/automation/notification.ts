import { foundChannel, listChannels } from '#actors/notification/queries.ts'
import { notificationDeliveries } from '#analytics/notification/questions.ts'
import { run } from '#analytics/store/query.ts'
import { shownChannels } from '#http/notification/body.ts'
import { everyDelivery, shownDelivery } from '#http/notification/delivery.ts'
import { testChannel } from '#http/notification/test-event.ts'
import { deliveryStatuses, type DeliveryStatus } from '#streams/notification/channel.ts'
import { aboutOrg, requireValue, requireOrg, UsageError, type Command } from '#config/command/line/command.ts'
import { countOf, ofOrganization, servicesOf, withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'

const listUsage = 'tidemark notification list --org ORG'
const testUsage = 'tidemark notification test --org ORG --id CHANNEL'
const deliveriesUsage = 'tidemark notification deliveries --org ORG [--channel ID] [--status STATUS] [--limit N]'

const org = { org: { type: 'string' } } as const
const text = { type: 'string' } as const
const limitMax = 1000

type Channel = Awaited<ReturnType<typeof shownChannels>>[number]
type Delivery = ReturnType<typeof shownDelivery>

const channelHeader = ['ID', 'NAME', 'TYPE', 'ADDRESS', 'LAST FAILURE']

const channelRow = ({ id, type, name, config: { email, webhookURL }, lastFailure }: Channel) => [
  id,
  name,
  type,
  email ?? webhookURL,
  lastFailure ? `${lastFailure.at}: ${lastFailure.message}` : null,
]

const deliveryHeader = ['ID', 'CREATED', 'STATUS', 'CHANNEL', 'TITLE', 'MESSAGE']

const deliveryRow = ({ id, createdAt, status, hold, channelID, title, message }: Delivery) => [
  id,
  createdAt,
  hold ? `${status} (${hold})` : status,
  channelID,
  title,
  message,
]

const notificationList: Command = {
  name: 'notification list',
  summary: 'List notification channels',
  usage: listUsage,
  options: org,
  about: aboutOrg,
  run: async ({ values }) => {
    const named = requireOrg({ usage: listUsage }, values['org'])
    return withOrganization(named, async (instance, orgId) => {
      const em = await ofOrganization(instance, orgId)
      // The command line prints no address that whoever reads it could post to.
      const reader = { orgId, permissions: new Set<never>() }
      const data = await shownChannels(em, reader, await listChannels(em, orgId), () => '')
      return { data, text: table(channelHeader, data.map(channelRow), 'No notification channels.') }
    })
  },
}

const notificationTest: Command = {
  name: 'notification test',
  summary: 'Send a test notification; exit code 1 if it was not delivered',
  usage: testUsage,
  options: { ...org, id: text },
  about: { ...aboutOrg, '--id CHANNEL': 'Channel ID from "notification list"' },
  run: async ({ values }) => {
    const named = requireOrg({ usage: testUsage }, values['org'])
    const id = requireValue({ usage: testUsage }, values['id'], '--id')
    return withOrganization(named, async (instance, orgId) => {
      const channel = await foundChannel(await ofOrganization(instance, orgId), orgId, id)
      const { payload: data } = await testChannel(channel, servicesOf(instance, orgId))
      if (data.delivered) return { data, text: `${data.deliveryID}  delivered` }
      return { data, text: `${data.deliveryID}  failed  ${data.message}`, code: 1 }
    })
  },
}

function statusOf(given: unknown): DeliveryStatus[] {
  if (given === undefined) return []
  const known = deliveryStatuses.find((status) => status === given)
  if (!known) throw new UsageError(`--status must be one of ${deliveryStatuses.join(', ')}`)
  return [known]
}

const notificationDeliveryList: Command = {
  name: 'notification deliveries',
  summary: 'List notification deliveries, newest first',
  usage: deliveriesUsage,
  options: { ...org, channel: text, status: text, limit: text },
  about: {
    ...aboutOrg,
    '--channel ID': 'Only for this channel; mail:USER for the built-in emails to a user',
    '--status STATUS': `One of ${deliveryStatuses.join(', ')}`,
    '--limit N': `Maximum number of rows, 1 to ${limitMax}; default 50`,
  },
  run: async ({ values }) => {
    const named = requireOrg({ usage: deliveriesUsage }, values['org'])
    const { channel } = values
    const limit = countOf(values['limit'] ?? '50', limitMax)
    if (limit === undefined) throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`)
    const channels = typeof channel === 'string' ? [channel] : []
    const narrowed = { ...everyDelivery, channels, statuses: statusOf(values['status']), limit }
    return withOrganization(named, async (instance, org) => {
      const question = { ...narrowed, org }
      const rows = await run(instance.connections.clickhouse, notificationDeliveries, question)
      const data = rows.map(shownDelivery)
      return { data, text: table(deliveryHeader, data.map(deliveryRow), 'No deliveries.') }
    })
  },
}

export const notificationCommands: readonly Command[] = [notificationList, notificationTest, notificationDeliveryList]
