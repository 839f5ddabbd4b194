/** What was told, or is to be: each delivery with its state, its tries and what was wrong. */
import { html } from '../../html.ts'
import { ago, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { change, hrefOf, param, params, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { deliveriesSql } from '../../sql.ts'
import { Copies } from '../../part/copy.ts'
import { Next } from '../../part/next-step.ts'
import { Panel } from '../../part/panel.ts'
import { Choice } from '../../part/period.ts'
import { Empty, ReportContent } from '../../part/report-content.ts'
import { Pages, Table } from '../../part/table.ts'
import { eventName, useChannels, type Channels } from './channels-and-events.ts'
import { OneDelivery } from './one-delivery.ts'
import { stateBadge, type Deliveries, type Delivery } from './delivery-state.ts'

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
  return html`<div class="bar" role="search" aria-label="Filters">
      <${Choice} title="Channel" name="channel_id" none="all" choices=${all.map(({ id, name }) => [id, name.slice(0, 60)])} />
      <${Choice} title="Event" name="event_type" none="all" choices=${[...(types.data ?? []).map((one) => [one.key, eventName(one)]), ['test', 'Test'], ['recommendation', 'Shared recommendation']]} />
      <${Choice} title="Status" name="status" none="all" choices=${states.map((state) => [state, state])} />
    </div>
    <${Panel} title="Deliveries" about=${report.data && `${pluralize(report.data.total, 'delivery', 'deliveries')} of the last 90 days, newest first`} tools=${html`<button type="button" class="quiet" onClick=${report.again}>Refresh</button><${Copies} report=${report} sql=${deliveriesSql(query)} />`}>
      <${ReportContent} report=${report} rows=${6}>${(data: Deliveries) =>
        data.total === 0
          ? html`<${Empty} title="No deliveries in the last 90 days."><p>See what channels are subscribed to under <a href=${hrefOf('notifications', { tab: 'subscriptions' })}>Subscriptions</a>. <${Next} needs="service.update" what="Testing a channel">Send a <a href=${hrefOf('notifications')}>test</a> to check that a channel works.<//></p><//>`
          : html`<${Table} caption="Deliveries" columns=${columnsOf(all)} rows=${data.items} keyOf=${({ id }: Delivery) => id} /><${Pages} page=${page} limit=${pageSize} total=${data.total} onPage=${(to: number) => change({ page: to })} />`}<//>
      <p class="faint after">Temporary failures are retried automatically up to five times over a few minutes. Deliveries waiting for a failing channel are retried every ten minutes for a day. You never need to resend manually.</p>
    <//>
    ${opened && html`<${OneDelivery} key=${opened} id=${opened} />`}`
}

const columnsOf = (channels: Channels) => [
  {
    key: 'at',
    title: 'When',
    show: ({ createdAt }: Delivery) => html`<span class="nowrap" title=${timeText(createdAt)}>${ago(createdAt)}</span>`,
  },
  {
    key: 'what',
    title: 'Title',
    show: ({ id, title, eventType, kind }: Delivery) =>
      html`<a class="clip wide" dir="auto" title=${title} href=${hrefOf('notifications', withParams({ delivery: id }))}>${title}</a><span class="sub faint">${kind === 'digest' ? 'several events' : eventType}</span>`,
  },
  {
    key: 'to',
    title: 'Channel',
    show: ({ channelID }: Delivery) => {
      const name = channels.find(({ id }) => id === channelID)?.name
      if (channelID.startsWith('mail:')) return 'email to a person'
      return html`<span class="clip" dir="auto" title=${name ?? channelID}>${name ?? 'deleted channel'}</span>`
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
    show: ({ message, responseStatus, status, nextTryAt }: Delivery) =>
      html`${message ?? ''}${responseStatus && status !== 'delivered' ? ` (${responseStatus})` : ''}${nextTryAt && html`<span class="sub faint" title=${timeText(nextTryAt)}>next attempt ${ago(nextTryAt)}</span>`}`,
  },
]
