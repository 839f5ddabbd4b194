import { foundChannel, listChannels } from '#actors/notification/queries.ts'
import { notificationDeliveries } from '#analytics/notification/questions.ts'
import { run } from '#analytics/store/query.ts'
import { orgCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { servicesOf } from '#config/command/line/engine.ts'
import { choice, limit, requiredText, optional, org } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import { shownChannels } from '#http/notification/body.ts'
import { everyDelivery, shownDelivery } from '#http/notification/delivery.ts'
import { testChannel } from '#http/notification/test-event.ts'
import { deliveryStatuses } from '#streams/notification/channel.ts'

const channels = listOf<Awaited<ReturnType<typeof shownChannels>>[number]>(
  {
    ID: 'id',
    NAME: 'name',
    TYPE: 'type',
    ADDRESS: ({ config: { email, webhookURL } }) => email ?? webhookURL,
    'LAST FAILURE': ({ lastFailure }) => lastFailure && `${lastFailure.at}: ${lastFailure.message}`,
  },
  'No notification channels.',
)

const deliveries = listOf<ReturnType<typeof shownDelivery>>(
  {
    ID: 'id',
    CREATED: 'createdAt',
    STATUS: ({ status, hold }) => (hold ? `${status} (${hold})` : status),
    CHANNEL: 'channelID',
    TITLE: 'title',
    MESSAGE: 'message',
  },
  'No deliveries.',
)

export const notificationCommands: readonly Command[] = [
  orgCommand({
    name: 'notification list',
    summary: 'List notification channels',
    takes: { org },
    run: async ({ connections }, orgId) => {
      const em = connections.orm.em.fork()
      // The command line prints no address that whoever reads it could post to.
      const reader = { orgId, permissions: new Set<never>() }
      return channels(await shownChannels(em, reader, await listChannels(em, orgId), () => ''))
    },
  }),
  orgCommand({
    name: 'notification test',
    summary: 'Send a test notification; exit code 1 if it was not delivered',
    takes: { org, id: requiredText('CHANNEL', 'Channel ID from "notification list"') },
    run: async (instance, orgId, { id }) => {
      const channel = await foundChannel(instance.connections.orm.em.fork(), orgId, id)
      const { payload: data } = await testChannel(channel, servicesOf(instance, orgId))
      if (data.delivered) return { data, text: `${data.deliveryID}  delivered` }
      return { data, text: `${data.deliveryID}  failed  ${data.message}`, code: 1 }
    },
  }),
  orgCommand({
    name: 'notification deliveries',
    summary: 'List notification deliveries, newest first',
    takes: {
      org,
      channel: optional('ID', 'Only for this channel; mail:USER for the built-in emails to a user'),
      status: choice('STATUS', deliveryStatuses),
      limit: limit(1000, 50),
    },
    run: async ({ connections }, org, { channel, status, limit }) => {
      const channels = channel === undefined ? [] : [channel]
      const question = { ...everyDelivery, org, channels, statuses: status ? [status] : [], limit }
      return deliveries(
        (await run(await connections.shards.of(org), notificationDeliveries, question)).map(shownDelivery),
      )
    },
  }),
]
