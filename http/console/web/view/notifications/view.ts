/** Who is told of what, by which channel, and what became of it. */
import { html } from '../../html.ts'
import { hrefOf, param } from '../../place.ts'
import { Channels } from './channels.ts'
import { Mails } from './mails.ts'
import { Sent } from './sent.ts'
import { Subscriptions } from './subscriptions.ts'

const tabs = [
  { name: 'channels', title: 'Channels', part: Channels },
  { name: 'subscriptions', title: 'Who is told of what', part: Subscriptions },
  { name: 'sent', title: 'What was sent', part: Sent },
  { name: 'mails', title: 'Mails you get', part: Mails },
] as const

export function View() {
  const { name, part } = tabs.find((one) => one.name === param('tab')) ?? tabs[0]
  return html`<div class="view-head"><h1>Notifications</h1></div>
    <nav class="tabs" aria-label="Notifications">${tabs.map((one) => html`<a key=${one.name} href=${hrefOf('notifications', { tab: one.name === 'channels' ? null : one.name })} aria-current=${one.name === name ? 'page' : undefined}>${one.title}</a>`)}</nav>
    <${part} />`
}
