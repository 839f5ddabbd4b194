import { foundChannel, listChannels } from '#actors/notification/queries.ts'
import { notificationDeliveries } from '#analytics/notification/questions.ts'
import { run } from '#analytics/store/query.ts'
import { shownChannels } from '#http/notification/body.ts'
import { everyDelivery, shownDelivery } from '#http/notification/delivery.ts'
import { testChannel } from '#http/notification/test-event.ts'
import { deliveryStatuses, type DeliveryStatus } from '#streams/notification/channel.ts'
import { required, UsageError, type Command } from '#config/command/command.ts'
import { countOf, ofOrganization, servicesOf } from '#config/command/engine.ts'
import { withInstance } from '#config/instance.ts'

const listUsage = 'tidemark notification list --org ID'
const testUsage = 'tidemark notification test --org ID --id CHANNEL'
const deliveriesUsage = 'tidemark notification deliveries --org ID [--channel ID] [--status STATUS] [--limit N]'

const org = { org: { type: 'string' } } as const
const aboutOrg = { '--org ID': 'The organization' }
const text = { type: 'string' } as const
const limitMax = 1000

type Channel = Awaited<ReturnType<typeof shownChannels>>[number]
type Delivery = ReturnType<typeof shownDelivery>

const lineOf = ({ id, type, name, config: { email, webhookURL }, lastFailure }: Channel): string =>
  `${id}  ${type}  ${email ?? webhookURL}  ${name}${lastFailure ? `  failed ${lastFailure.at}: ${lastFailure.message}` : ''}`

const told = ({ id, createdAt, status, hold, channelID, title, message }: Delivery): string =>
  [id, createdAt, hold ? `${status} (${hold})` : status, channelID, title, message].filter(Boolean).join('  ')

export const notificationList: Command = {
  name: 'notification list',
  summary: 'List the channels by which people of an organization are told',
  usage: listUsage,
  options: org,
  about: aboutOrg,
  run: async ({ values }) => {
    const orgId = required({ usage: listUsage }, values['org'], '--org')
    return withInstance(async (instance) => {
      const em = await ofOrganization(instance, orgId)
      // The command line prints no address that whoever reads it could post to.
      const reader = { orgId, permissions: new Set<never>() }
      const data = await shownChannels(em, reader, await listChannels(em, orgId), () => '')
      return { data, text: data.map(lineOf).join('\n') || 'There is no channel.' }
    })
  },
}

export const notificationTest: Command = {
  name: 'notification test',
  summary: 'Send a test by a channel; exit code 1 where it was not taken',
  usage: testUsage,
  options: { ...org, id: text },
  about: { ...aboutOrg, '--id CHANNEL': 'As notification list shows it' },
  run: async ({ values }) => {
    const orgId = required({ usage: testUsage }, values['org'], '--org')
    const id = required({ usage: testUsage }, values['id'], '--id')
    return withInstance(async (instance) => {
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

export const notificationDeliveryList: Command = {
  name: 'notification deliveries',
  summary: 'List what was told, or is to be, newest first',
  usage: deliveriesUsage,
  options: { ...org, channel: text, status: text, limit: text },
  about: {
    ...aboutOrg,
    '--channel ID': 'By this channel alone; mail:USER for the built-in mails of a person',
    '--status STATUS': `One of ${deliveryStatuses.join(', ')}`,
    '--limit N': `How many at most; default 50, most ${limitMax}`,
  },
  run: async ({ values }) => {
    const orgId = required({ usage: deliveriesUsage }, values['org'], '--org')
    const { channel } = values
    const limit = countOf(values['limit'] ?? '50', limitMax)
    if (limit === undefined) throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`)
    const channels = typeof channel === 'string' ? [channel] : []
    const question = { ...everyDelivery, org: orgId, channels, statuses: statusOf(values['status']), limit }
    return withInstance(async (instance) => {
      await ofOrganization(instance, orgId)
      const rows = await run(instance.connections.clickhouse, notificationDeliveries, question)
      const data = rows.map(shownDelivery)
      return { data, text: data.map(told).join('\n') || 'Nothing was told.' }
    })
  },
}

export const notificationCommands: readonly Command[] = [notificationList, notificationTest, notificationDeliveryList]
