/** What is yours: tokens, agents that ask by them, sessions, the second factor, the password. */
import { hrefOf } from '../../router.ts'
import { may, roleText, session } from '../../session.ts'
import { Head } from '../../part/head.tsx'
import { Panel } from '../../part/panel.tsx'
import { ViewTabs, tabAsked } from '../../part/tabs.tsx'
import { Agents } from './agents.tsx'
import { Password } from './password.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import { Tokens } from './tokens.tsx'

const tabs = [
  { name: 'tokens', title: 'Tokens', part: Tokens },
  { name: 'agents', title: 'Agents', part: Agents },
  { name: 'sessions', title: 'Sessions', part: Sessions },
  { name: 'second-factor', title: 'Second factor', part: SecondFactor },
  { name: 'password', title: 'Password', part: Password },
] as const

export function View() {
  const { part: Part } = tabAsked(tabs)
  return (
    <>
      <Head title="Account" />
      <Who />
      <ViewTabs view="account" label="Account" tabs={tabs} />
      <Part />
    </>
  )
}

function Who() {
  const { user, me } = session.value!
  const { all } = me.reportScope
  return (
    <Panel title="Profile">
      <p>
        <strong class="clip wide" dir="auto" title={user.name}>
          {user.name}
        </strong>{' '}
        {user.email}; your role is <strong>{roleText(me.role)}</strong>
        {all ? '' : ', and you see only the costs of some accounts and teams'}.
      </p>
      {may('service.view') && (
        <p>
          <a href={hrefOf('notifications', { tab: 'mails' })}>Email preferences</a>
        </p>
      )}
    </Panel>
  )
}
