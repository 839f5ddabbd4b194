/** Who is told of what, by which channel, and what became of it. */
import { html } from '../../html.ts'
import { ViewTabs, tabAsked } from '../../part/tabs.ts'
import { Channels } from './channels.ts'
import { Mails } from './mails.ts'
import { DeliveryLog } from './delivery-log.ts'
import { Subscriptions } from './subscriptions.ts'

const tabs = [
  { name: 'channels', title: 'Channels', part: Channels },
  { name: 'subscriptions', title: 'Subscriptions', part: Subscriptions },
  { name: 'sent', title: 'Deliveries', part: DeliveryLog },
  { name: 'mails', title: 'Your emails', part: Mails },
] as const

export function View() {
  const { part } = tabAsked(tabs)
  return html`<div class="view-head"><h1>Notifications</h1></div>
    <${ViewTabs} view="notifications" label="Notifications" tabs=${tabs} />
    <${part} />`
}
