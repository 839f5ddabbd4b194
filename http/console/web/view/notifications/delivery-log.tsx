/** What was sent, or is to be: each delivery with its state, its attempts and its error. */
import { ago } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { hrefOf, param, params, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { deliveriesSql } from '../../sql.ts'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { eventName, useChannels, type Channels } from './channels-and-events.ts'
import { OneDelivery } from './one-delivery.tsx'
import { stateBadge, type Delivery } from './delivery-state.tsx'

const pageSize = 50
const states = ['pending', 'held', 'delivered', 'failed', 'folded']

export function DeliveryLog() {
  const query = { channel_id: params('channel_id'), event_type: params('event_type'), status: params('status') }
  const report = useReport('GET /notifications/deliveries', {
    query: { ...query, page: param('page') ?? 1, limit: pageSize },
    on: ['anomaly.', 'budget.'],
  })
  const channels = useChannels().data ?? []
  const types = useReport('GET /notifications/event-types').data ?? []
  const opened = param('delivery')
  const filters = [
    { name: 'channel_id', title: 'Channel', choices: channels.map(({ id, name }) => [id, name.slice(0, 60)]) },
    {
      name: 'event_type',
      title: 'Event',
      choices: [
        ...types.map((one) => [one.key, eventName(one)]),
        ['test', 'Test'],
        ['recommendation', 'Shared recommendation'],
      ],
    },
    { name: 'status', title: 'Status', choices: states.map((state) => [state, state]) },
  ]
  return (
    <>
      <ListView
        title="Deliveries"
        noun="deliveries"
        about={
          report.data && `${pluralize(report.data.total, 'delivery', 'deliveries')} of the last 90 days, newest first`
        }
        report={report}
        sql={deliveriesSql(query)}
        columns={columnsOf(channels)}
        filters={filters}
        pageSize={pageSize}
        bones={6}
        tools={
          <button type="button" class="quiet" onClick={report.again}>
            Refresh
          </button>
        }
        empty={{
          title: 'No deliveries in the last 90 days.',
          children: (
            <p>
              See what channels are subscribed to under{' '}
              <a href={hrefOf('notifications', { tab: 'subscriptions' })}>Subscriptions</a>.{' '}
              <Next needs="service.update" what="Testing a channel">
                Send a <a href={hrefOf('notifications')}>test</a> to check that a channel works.
              </Next>
            </p>
          ),
        }}
      >
        <p class="faint after">
          Temporary failures are retried automatically up to five times over a few minutes. Deliveries waiting for a
          failing channel are retried every ten minutes for a day. You never need to resend manually.
        </p>
      </ListView>
      {opened && <OneDelivery key={opened} id={opened} />}
    </>
  )
}

const columnsOf = (channels: Channels): Column<Delivery>[] => [
  { title: 'When', ago: ({ createdAt }) => createdAt },
  {
    title: 'Title',
    text: ({ title }) => title,
    href: ({ id }) => hrefOf('notifications', withParams({ delivery: id })),
    sub: ({ eventType, kind }) => (kind === 'digest' ? 'several events' : eventType),
  },
  {
    title: 'Channel',
    text: ({ channelID }) =>
      channelID.startsWith('mail:')
        ? 'email to a person'
        : (channels.find(({ id }) => id === channelID)?.name ?? 'deleted channel'),
  },
  { title: 'Status', show: stateBadge },
  { title: 'Attempts', count: ({ tries }) => tries },
  {
    title: 'Error',
    isLong: true,
    show: ({ message, responseStatus, status }) =>
      `${message ?? ''}${responseStatus && status !== 'delivered' ? ` (${responseStatus})` : ''}`,
    sub: ({ nextTryAt }) => nextTryAt && `next attempt ${ago(nextTryAt)}`,
  },
]
