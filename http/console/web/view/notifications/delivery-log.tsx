/** What was told, or is to be: each delivery with its state, its tries and what was wrong. */
import { ago, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { change, hrefOf, param, params, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { deliveriesSql } from '../../sql.ts'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Choice } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { eventName, useChannels, type Channels } from './channels-and-events.ts'
import { OneDelivery } from './one-delivery.tsx'
import { stateBadge, type Deliveries, type Delivery } from './delivery-state.tsx'

const pageSize = 50

const states = ['pending', 'held', 'delivered', 'failed', 'folded']

export function DeliveryLog() {
  const page = Number(param('page') ?? 1)
  const query = { channel_id: params('channel_id'), event_type: params('event_type'), status: params('status') }
  const report = useReport('GET /notifications/deliveries', {
    query: { ...query, page, limit: pageSize },
    on: ['anomaly.', 'budget.'],
  })
  const channels = useChannels()
  const types = useReport('GET /notifications/event-types')
  const all = channels.data ?? []
  const opened = param('delivery')
  return (
    <>
      <div class="bar" role="search" aria-label="Filters">
        <Choice
          title="Channel"
          name="channel_id"
          none="all"
          choices={all.map(({ id, name }) => [id, name.slice(0, 60)])}
        />
        <Choice
          title="Event"
          name="event_type"
          none="all"
          choices={[
            ...(types.data ?? []).map((one) => [one.key, eventName(one)]),
            ['test', 'Test'],
            ['recommendation', 'Shared recommendation'],
          ]}
        />
        <Choice title="Status" name="status" none="all" choices={states.map((state) => [state, state])} />
      </div>
      <Panel
        title="Deliveries"
        about={
          report.data && `${pluralize(report.data.total, 'delivery', 'deliveries')} of the last 90 days, newest first`
        }
        tools={
          <>
            <button type="button" class="quiet" onClick={report.again}>
              Refresh
            </button>
            <Copies report={report} sql={deliveriesSql(query)} />
          </>
        }
      >
        <ReportContent report={report} rows={6}>
          {(data: Deliveries) =>
            data.total === 0 ? (
              <Empty title="No deliveries in the last 90 days.">
                <p>
                  See what channels are subscribed to under{' '}
                  <a href={hrefOf('notifications', { tab: 'subscriptions' })}>Subscriptions</a>.{' '}
                  <Next needs="service.update" what="Testing a channel">
                    Send a <a href={hrefOf('notifications')}>test</a> to check that a channel works.
                  </Next>
                </p>
              </Empty>
            ) : (
              <>
                <Table
                  caption="Deliveries"
                  columns={columnsOf(all)}
                  rows={data.items}
                  keyOf={({ id }: Delivery) => id}
                />
                <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
              </>
            )
          }
        </ReportContent>
        <p class="faint after">
          Temporary failures are retried automatically up to five times over a few minutes. Deliveries waiting for a
          failing channel are retried every ten minutes for a day. You never need to resend manually.
        </p>
      </Panel>
      {opened && <OneDelivery key={opened} id={opened} />}
    </>
  )
}

const columnsOf = (channels: Channels) => [
  {
    key: 'at',
    title: 'When',
    show: ({ createdAt }: Delivery) => (
      <span class="nowrap" title={timeText(createdAt)}>
        {ago(createdAt)}
      </span>
    ),
  },
  {
    key: 'what',
    title: 'Title',
    show: ({ id, title, eventType, kind }: Delivery) => (
      <>
        <a class="clip wide" dir="auto" title={title} href={hrefOf('notifications', withParams({ delivery: id }))}>
          {title}
        </a>
        <span class="sub faint">{kind === 'digest' ? 'several events' : eventType}</span>
      </>
    ),
  },
  {
    key: 'to',
    title: 'Channel',
    show: ({ channelID }: Delivery) => {
      const name = channels.find(({ id }) => id === channelID)?.name
      if (channelID.startsWith('mail:')) return 'email to a person'
      return (
        <span class="clip" dir="auto" title={name ?? channelID}>
          {name ?? 'deleted channel'}
        </span>
      )
    },
  },
  { key: 'state', title: 'Status', show: (one: Delivery) => stateBadge(one) },
  {
    key: 'tries',
    title: 'Attempts',
    isFigure: true,
    show: ({ tries }: Delivery) => tries,
  },
  {
    key: 'wrong',
    title: 'Error',
    isLong: true,
    show: ({ message, responseStatus, status, nextTryAt }: Delivery) => (
      <>
        {message ?? ''}
        {responseStatus && status !== 'delivered' ? ` (${responseStatus})` : ''}
        {nextTryAt && (
          <span class="sub faint" title={timeText(nextTryAt)}>
            next attempt {ago(nextTryAt)}
          </span>
        )}
      </>
    ),
  },
]
