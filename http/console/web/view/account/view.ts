/** What is yours: tokens, sessions, the second factor, the password. */
import { html } from '../../html.ts'
import { hrefOf, param } from '../../place.ts'
import { may, roleText, session } from '../../session.ts'
import { Panel } from '../../part/panel.ts'
import { Password } from './password.ts'
import { SecondFactor } from './second-factor.ts'
import { Sessions } from './sessions.ts'
import { Tokens } from './tokens.ts'

const tabs = [
  { name: 'tokens', title: 'Tokens', part: Tokens },
  { name: 'sessions', title: 'Sessions', part: Sessions },
  { name: 'second-factor', title: 'Second factor', part: SecondFactor },
  { name: 'password', title: 'Password', part: Password },
] as const

export function View() {
  const { name, part } = tabs.find((one) => one.name === param('tab')) ?? tabs[0]
  return html`<div class="view-head"><h1>You</h1></div>
    <${Who} />
    <nav class="tabs" aria-label="You">${tabs.map((one) => html`<a key=${one.name} href=${hrefOf('account', { tab: one.name === 'tokens' ? null : one.name })} aria-current=${one.name === name ? 'page' : undefined}>${one.title}</a>`)}</nav>
    <${part} />`
}

function Who() {
  const { user, me } = session.value!
  const { all } = me.reportScope
  return html`<${Panel} title="Who you are here">
    <p><strong class="clip wide" dir="auto" title=${user.name}>${user.name}</strong> ${user.email}; your role is <strong>${roleText(me.role)}</strong>${all ? '' : ', and you see the costs of some accounts and teams alone'}.</p>
    ${may('service.view') && html`<p><a href=${hrefOf('notifications', { tab: 'mails' })}>Which mails you get</a></p>`}
  <//>`
}
