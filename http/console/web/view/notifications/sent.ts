/** What was told, or is to be: each delivery with its state, its tries and what was wrong. */
import { html } from '../../html.ts'
import { ago, timeText } from '../../day.ts'
import { counted } from '../../figure.ts'
import { change, hrefOf, param, params, withParams } from '../../place.ts'
import { useReport } from '../../report.ts'
import { deliveriesSql } from '../../sql.ts'
import { Copies } from '../../part/copy.ts'
import { Next } from '../../part/next.ts'
import { Panel } from '../../part/panel.ts'
import { Choice } from '../../part/period.ts'
import { Empty, Shown } from '../../part/state.ts'
import { Pages, Table } from '../../part/table.ts'
import { eventName, useChannels, type Channels } from './asked.ts'
import { OneDelivery } from './one-delivery.ts'
import { stateBadge, type Deliveries, type Delivery } from './state.ts'

const pageSize = 50

const states = ['pending', 'held', 'delivered', 'failed', 'folded']

export function Sent() {
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
      <${Choice} title="State" name="status" none="all" choices=${states.map((state) => [state, state])} />
    </div>
    <${Panel} title="What was sent" about=${report.data && `${counted(report.data.total, 'delivery', 'deliveries')} of the last 90 days, newest first`} tools=${html`<button type="button" class="quiet" onClick=${report.again}>Look again</button><${Copies} report=${report} sql=${deliveriesSql(query)} />`}>
      <${Shown} report=${report} rows=${6}>${(data: Deliveries) =>
        data.total === 0
          ? html`<${Empty} title="Nothing of this was sent in the last 90 days."><p>What channels are subscribed to is under <a href=${hrefOf('notifications', { tab: 'subscriptions' })}>who is told of what</a>. <${Next} needs="service.update" what="Sending a test of a channel">A <a href=${hrefOf('notifications')}>test</a> shows whether a channel works.<//></p><//>`
          : html`<${Table} caption="Deliveries" columns=${columnsOf(all)} rows=${data.items} keyOf=${({ id }: Delivery) => id} /><${Pages} page=${page} limit=${pageSize} total=${data.total} onPage=${(to: number) => change({ page: to })} />`}<//>
      <p class="faint after">What fails for a reason that may pass is tried five times by itself, over some minutes; what waits for a channel that does not work is tried every ten minutes, for a day. Nothing need be sent again by hand.</p>
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
    title: 'What',
    show: ({ id, title, eventType, kind }: Delivery) =>
      html`<a class="clip wide" dir="auto" title=${title} href=${hrefOf('notifications', withParams({ delivery: id }))}>${title}</a><span class="sub faint">${kind === 'digest' ? 'several events' : eventType}</span>`,
  },
  {
    key: 'to',
    title: 'By',
    show: ({ channelID }: Delivery) => {
      const name = channels.find(({ id }) => id === channelID)?.name
      if (channelID.startsWith('mail:')) return 'mail to a person'
      return html`<span class="clip" dir="auto" title=${name ?? channelID}>${name ?? 'a channel that is gone'}</span>`
    },
  },
  { key: 'state', title: 'State', show: (one: Delivery) => stateBadge(one) },
  {
    key: 'tries',
    title: 'Tries',
    isFigure: true,
    show: ({ tries }: Delivery) => tries,
  },
  {
    key: 'wrong',
    title: 'What was wrong',
    isLong: true,
    show: ({ message, responseStatus, status, nextTryAt }: Delivery) =>
      html`${message ?? ''}${responseStatus && status !== 'delivered' ? ` (${responseStatus})` : ''}${nextTryAt && html`<span class="sub faint" title=${timeText(nextTryAt)}>next try ${ago(nextTryAt)}</span>`}`,
  },
]
