/** One delivery with the whole event it tells of. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { change, hrefOf, withParams } from '../../place.ts'
import { useReport } from '../../report.ts'
import { Copies } from '../../part/copy.ts'
import { Drawer } from '../../part/drawer.ts'
import { Shown } from '../../part/state.ts'
import { stateBadge } from './state.ts'

type Whole = Reply<'GET /notifications/deliveries/:deliveryID'>

export function OneDelivery({ id }: { id: string }) {
  const report = useReport('GET /notifications/deliveries/:deliveryID', { params: { deliveryID: id } })
  return html`<${Drawer} title="What was told" onClose=${() => change({ delivery: null })}>
    <${Shown} report=${report} rows=${6}>${(data: Whole) => html`
      <h3 class="said" dir="auto">${data.event.title}</h3>
      <p class="said" dir="auto">${data.event.summary}</p>
      <p>${stateBadge(data)} after ${data.tries} ${data.tries === 1 ? 'try' : 'tries'}${data.responseStatus ? `; the receiver answered ${data.responseStatus}` : ''}.${data.message ? ` ${data.message}` : ''}</p>
      <p class="faint">Raised ${timeText(data.event.occurredAt)}${data.endedAt ? `, ended ${timeText(data.endedAt)}` : ''}${data.nextTryAt ? `, tried again ${timeText(data.nextTryAt)}` : ''}. ${data.eventType}</p>
      ${data.foldedInto && html`<p><a href=${hrefOf('notifications', withParams({ delivery: data.foldedInto }))}>The delivery that tells of it</a></p>`}
      <p><${Copies} report=${report} /></p>
      <pre class="body" tabindex="0" aria-label="The event">${JSON.stringify(data.event, null, 2)}</pre>`}<//>
  <//>`
}
